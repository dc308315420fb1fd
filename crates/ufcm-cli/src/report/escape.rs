//! Text from users in files for browsers.

/// Text as it may stand in HTML and XML, in attributes too. What XML cannot hold at all becomes a replacement character.
pub(super) fn text(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON as it may stand in a script element: nothing in it can end the element.
pub(super) fn script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The first characters of a text, with an ellipsis where there are more.
pub(super) fn shortened(raw: &str, most: usize) -> String {
    match raw.char_indices().nth(most) {
        None => raw.to_owned(),
        Some(_) => raw.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_element() {
        assert_eq!(
            text("<b a=\"1\" c='2'>&</b>\n\u{0}\u{1b}"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;\n\u{fffd}\u{fffd}"
        );
        let json = serde_json::to_string("</script><!-- &").unwrap();
        let escaped = script(&json);
        assert!(!escaped.contains(['<', '>', '&']), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), "</script><!-- &");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größer", 5), "größ…");
        assert_eq!(shortened("", 0), "");
    }
}
