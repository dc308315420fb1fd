//! The catalogue is sound: names are unique, every kind says what it is, and what cannot be is refused by name.

use std::collections::BTreeSet;
use ufcm::catalogue::{self, Field, FieldType, Kind, Preset, Section, Value};

#[test]
fn no_two_kinds_share_a_name() {
    // Python has one name space for all.
    let mut names = BTreeSet::new();
    for kind in catalogue::kinds() {
        assert!(names.insert(kind.name), "{} is there twice", kind.name);
    }
    for section in [Section::Component, Section::Composer, Section::Domain] {
        let of_section = |kind: &&&Kind| {
            kind.section == section || (section == Section::Domain && kind.section == Section::Regulariser)
        };
        let all: Vec<&Kind> = catalogue::kinds().collect();
        let spellings: Vec<&str> = all
            .iter()
            .filter(of_section)
            .flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().map(|alias| alias.name)))
            .collect();
        let unique: BTreeSet<&&str> = spellings.iter().collect();
        assert_eq!(unique.len(), spellings.len(), "{spellings:?}");
    }
}

#[test]
fn every_kind_and_field_says_what_it_is() {
    for kind in catalogue::kinds() {
        assert!(kind.about.ends_with('.') && !kind.formula.is_empty(), "{}", kind.name);
        let spellings: Vec<&str> = kind.fields.iter().flat_map(Field::spellings).collect();
        let unique: BTreeSet<&&str> = spellings.iter().collect();
        assert_eq!(unique.len(), spellings.len(), "{}: {spellings:?}", kind.name);
        let mut may_be_left_out = false;
        for field in kind.fields.iter().filter(|field| field.call == catalogue::Call::Positional) {
            assert!(!field.about.is_empty(), "{}.{}", kind.name, field.name);
            assert!(
                !field.is_required() || !field.sample.is_empty(),
                "{}.{} has no sample",
                kind.name,
                field.name
            );
            // Python's parameters: those with a default come last.
            assert!(!(may_be_left_out && field.is_required()), "{}.{}", kind.name, field.name);
            may_be_left_out |= !field.is_required();
        }
        for field in kind.fields {
            let fits = match (field.preset, field.of) {
                (Preset::Number(_), FieldType::Number | FieldType::PerCoordinate)
                | (Preset::Flag(_), FieldType::Flag)
                | (Preset::Required | Preset::Absent(_), _) => true,
                (Preset::Word(word), FieldType::Choice(words)) => words.contains(&word),
                _ => false,
            };
            assert!(fits, "{}.{}: {:?}", kind.name, field.name, field.preset);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let entry = catalogue::regulariser("ball").unwrap();
    let mut values = entry.kind.values();
    let told = entry.build(&mut values, None).err().unwrap().to_string();
    assert_eq!(told, "ball: `radius` is missing");
    let told = values.set("radius", Value::Vector(vec![1.0])).unwrap_err().to_string();
    assert_eq!(told, "ball: radius is a vector; it must be a number");
    let told = values.set("size", Value::Number(1.0)).unwrap_err().to_string();
    assert_eq!(told, "ball: there is no field `size`; it takes radius, centre");
    values.set("R", Value::Number(-1.0)).unwrap();
    assert_eq!(
        values.set("radius", Value::Number(1.0)).unwrap_err().to_string(),
        "ball: `radius` is given twice"
    );
    let error = entry.build(&mut values, None).err().unwrap();
    assert_eq!(
        (error.field(), error.to_string()),
        (Some("radius"), "l2 ball: radius is -1; it must be positive".into())
    );
    let mut values = catalogue::component("logistic").unwrap().kind.values();
    let told = values.set("reduction", Value::Word("max".into())).unwrap_err().to_string();
    assert_eq!(told, "logistic: reduction is \"max\"; it must be \"mean\" or \"sum\"");
    assert!(catalogue::composer("max").is_some() && catalogue::composer("logistic").is_none());
}
