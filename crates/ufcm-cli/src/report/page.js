"use strict";
// Values under the pointer, and lines that can be hidden. The charts themselves are drawn already.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { left, right, top, bottom } = data.frame;
  const byGradients = document.getElementById("by-gradients");
  const axisName = () => (byGradients.checked ? "gradients" : "seconds");
  const svgElement = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);

  const share = (scale, value) => {
    if (value === null) return null;
    if (scale.kind === "linear") return (value - scale.low) / (scale.high - scale.low);
    if (value <= 0) return scale.floor > 0 ? 0 : null;
    return scale.floor + ((1 - scale.floor) * (Math.log10(value) - scale.low)) / (scale.high - scale.low);
  };
  const number = (value) => {
    if (value === null) return "none";
    const size = Math.abs(value);
    const plain = value === 0 || (size >= 1e-3 && size < 1e6);
    return (plain ? String(Number(value.toPrecision(8))) : value.toExponential(3)).replace(/-/g, "−");
  };
  const time = (seconds) => (seconds < 1 ? Number((1e3 * seconds).toPrecision(3)) + " ms" : Number(seconds.toPrecision(4)) + " s");
  const nearest = (list, target) => {
    let [low, high] = [0, list.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (list[middle] < target) low = middle;
      else high = middle;
    }
    return Math.abs(list[low] - target) <= Math.abs(list[high] - target) ? low : high;
  };

  const charts = data.charts.map((chart) => {
    const card = document.getElementById("chart-" + chart.id);
    return { ...chart, card, hidden: new Set(), tip: null, index: null };
  });
  const visible = (chart) => chart.card.querySelector("svg.by-" + axisName());
  const times = (chart) => data[chart.times][axisName()];

  const clear = () => {
    document.querySelectorAll(".cursor, .tip").forEach((element) => element.remove());
  };

  // The line through a chart at its point nearest to a time, and dots on its lines.
  const cursor = (chart, index) => {
    const svg = visible(chart);
    const at = times(chart)[index];
    const x = left + share(data[axisName()], at) * (right - left);
    const group = svgElement("g");
    group.setAttribute("class", "cursor");
    const line = svgElement("line");
    for (const [name, value] of [["x1", x], ["x2", x], ["y1", top], ["y2", bottom]]) line.setAttribute(name, value);
    group.append(line);
    chart.series.forEach((series, k) => {
      if (chart.scale === null || chart.hidden.has(k)) return;
      const height = share(chart.scale, series.values[index]);
      if (height === null || height < 0 || height > 1) return;
      const dot = svgElement("circle");
      dot.setAttribute("class", "c" + series.colour);
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", bottom - height * (bottom - top));
      dot.setAttribute("r", 4.5);
      group.append(dot);
    });
    svg.append(group);
    return x;
  };

  const describe = (chart, index, x) => {
    const tip = document.createElement("div");
    tip.className = "tip";
    const heading = document.createElement("b");
    const along = data[chart.times];
    heading.textContent = number(along.gradients[index]) + " gradients, " + time(along.seconds[index]);
    tip.append(heading);
    chart.series.forEach((series, k) => {
      if (chart.hidden.has(k)) return;
      const row = document.createElement("div");
      row.className = "c" + series.colour;
      const [swatch, name, value] = ["i", "span", "em"].map((tag) => document.createElement(tag));
      name.textContent = series.name;
      value.textContent = number(series.values[index]);
      row.append(swatch, name, value);
      tip.append(row);
    });
    chart.card.append(tip);
    const svg = visible(chart).getBoundingClientRect();
    const card = chart.card.getBoundingClientRect();
    const place = svg.left - card.left + (x / data.width) * svg.width;
    const room = card.width - place - tip.offsetWidth - 16;
    tip.style.left = (room > 0 ? place + 14 : Math.max(4, place - tip.offsetWidth - 14)) + "px";
    tip.style.top = svg.top - card.top + 14 + "px";
  };

  const show = (chart, index) => {
    clear();
    chart.index = index;
    const at = times(chart)[index];
    for (const other of charts) {
      if (times(other).length === 0) continue;
      const nearestIndex = other === chart ? index : nearest(times(other), at);
      const x = cursor(other, nearestIndex);
      if (other === chart) describe(chart, index, x);
    }
  };

  for (const chart of charts) {
    for (const svg of chart.card.querySelectorAll("svg.chart")) {
      svg.addEventListener("pointermove", (event) => {
        if (times(chart).length === 0) return;
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * data.width;
        const scale = data[axisName()];
        const at = scale.low + ((x - left) / (right - left)) * (scale.high - scale.low);
        show(chart, nearest(times(chart), at));
      });
      svg.addEventListener("pointerleave", clear);
      svg.addEventListener("blur", clear);
      svg.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        const last = times(chart).length - 1;
        if (step === undefined || last < 0) return;
        event.preventDefault();
        const from = chart.index === null ? (step > 0 ? -1 : last + 1) : chart.index;
        show(chart, Math.min(last, Math.max(0, from + step)));
      });
    }
    for (const button of chart.card.querySelectorAll(".legend button")) {
      const k = Number(button.dataset.series);
      const lines = chart.card.querySelectorAll('.series[data-series="' + k + '"]');
      button.addEventListener("click", () => {
        const off = !chart.hidden.delete(k);
        if (off) chart.hidden.add(k);
        button.setAttribute("aria-pressed", String(!off));
        lines.forEach((line) => line.classList.toggle("off", off));
      });
      const light = (on) => {
        chart.card.classList.toggle("dimmed", on && !chart.hidden.has(k));
        lines.forEach((line) => line.classList.toggle("lit", on));
      };
      button.addEventListener("pointerenter", () => light(true));
      button.addEventListener("pointerleave", () => light(false));
    }
  }
  document.querySelectorAll('input[name="axis"]').forEach((input) => input.addEventListener("change", clear));
  document.documentElement.dataset.ready = String(charts.length);
})();
