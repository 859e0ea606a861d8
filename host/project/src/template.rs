//! The templates as they lie in the repository, inside the binary. Knows where each piece goes in a new project.

use crate::language::Language;

mod embedded {
    //! Written by the build script: path below its directory, content.
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// A file of a new project: its path in it, its content before names are filled in.
pub(crate) struct Piece {
    pub(crate) path: String,
    pub(crate) content: &'static [u8],
    /// Whether `{{name}}` and `{{crate}}` are filled in; the interface and the SDK are copied as they are.
    pub(crate) is_template: bool,
}

/// All files of a new project. Empty where the repository has no template of that language.
pub(crate) fn pieces(language: Language) -> Vec<Piece> {
    let template = match language {
        Language::Rust => embedded::RUST,
        Language::Js => embedded::JS,
        Language::Ts => embedded::TS,
        Language::Python => embedded::PYTHON,
    };
    let sdk = if language == Language::Rust { embedded::SDK } else { &[] };
    let named = |path: &str| match path.rsplit_once('/') {
        // A file of that name would be obeyed inside the repository itself.
        None if path == "gitignore" => ".gitignore".to_owned(),
        Some((directory, "gitignore")) => format!("{directory}/.gitignore"),
        _ => path.to_owned(),
    };
    let mut pieces: Vec<Piece> =
        template.iter().map(|(path, content)| Piece { path: named(path), content, is_template: true }).collect();
    pieces.extend(sdk.iter().map(|(path, content)| Piece {
        path: format!("sdk/{}", named(path)),
        content,
        is_template: false,
    }));
    for (path, content) in embedded::WIT {
        let path = wit_place(language, path);
        // The SDK's own link to the interface was followed already.
        if pieces.iter().all(|piece| piece.path != path) {
            pieces.push(Piece { path, content, is_template: false });
        }
    }
    pieces
}

/// Rust bindings are made inside the SDK, so the interface lies there too.
fn wit_place(language: Language, path: &str) -> String {
    match language {
        Language::Rust => format!("sdk/wit/{path}"),
        Language::Js | Language::Ts | Language::Python => format!("wit/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_language_has_a_template_with_its_interface_cases_and_plan() {
        for language in Language::ALL {
            let paths: Vec<String> = pieces(language).into_iter().map(|piece| piece.path).collect();
            let distinct: HashSet<&String> = paths.iter().collect();
            assert_eq!(distinct.len(), paths.len(), "{language:?}: a path stands twice in {paths:?}");
            for wanted in ["agent.yaml", "plan.yaml", "README.md", ".gitignore"] {
                assert!(paths.iter().any(|path| path == wanted), "{language:?} has no {wanted}: {paths:?}");
            }
            assert!(paths.iter().any(|path| path.starts_with("cases/")), "{language:?} has no case: {paths:?}");
            assert!(paths.iter().any(|path| path.ends_with("wit/agent.wit")), "{language:?}: {paths:?}");
        }
    }
}
