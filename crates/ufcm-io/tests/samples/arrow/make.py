"""Writes the samples of this folder: python make.py, with pyarrow and polars."""

from decimal import Decimal
from pathlib import Path

import polars
import pyarrow as pa
from pyarrow import feather

here = Path(__file__).parent
ages, cities = [30.5, 40.0, None, 50.0, 61.0], ["Graz", "a city with a long name", "", "Wien", "Linz"]
people = pa.table({
    "age": pa.array(ages),
    "hours": pa.array([10, 20, 30, 40, None], pa.int16()),
    "tags": pa.array([["a"], [], None, ["b", "c"], ["d"]]),
    "sex": pa.array(["F", "M", "F", None, "M"]).dictionary_encode(),
    "city": pa.array(cities),
    "paid": pa.array([True, False, True, True, False]),
    "born": pa.array([1, 2, 3, 4, 5], pa.date32()),
    "big": pa.array([1, 2, 3, 4, 2**40], pa.uint64()),
    "price": pa.array([Decimal("1.25")] * 5, pa.decimal128(10, 2)),
    "nothing": pa.nulls(5),
    "single": pa.array([1.5, 2, 3, 4, 5], pa.float32()),
})
feather.write_feather(people, here / "lz4.feather", compression="lz4", chunksize=2)
feather.write_feather(people, here / "plain.arrow", compression="uncompressed", chunksize=3)
feather.write_feather(people, here / "zstd.arrow", compression="zstd")
polars.DataFrame({"age": ages, "city": cities}).write_ipc(here / "polars.arrow")
with pa.OSFile(str(here / "stream.arrow"), "wb") as file, pa.ipc.new_stream(file, people.schema) as writer:
    writer.write_table(people)
