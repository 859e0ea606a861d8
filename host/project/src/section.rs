//! The manifest as a custom section at the top level of a component. Knows as much of the binary format as it takes to step
//! from section to section; whether the component is valid is somebody else's question.

use sandfork_model::MANIFEST_SECTION;

/// How a component begins: the magic, the version of components and their layer.
const HEADER: [u8; 8] = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];
/// The id of a custom section.
const CUSTOM: u8 = 0;

/// The component with `manifest` as its only manifest, appended. `None` if the bytes are no component.
#[must_use]
pub fn with_manifest(component: &[u8], manifest: &[u8]) -> Option<Vec<u8>> {
    let mut rest = component.strip_prefix(&HEADER)?;
    let mut made = Vec::with_capacity(component.len() + manifest.len() + 64);
    made.extend_from_slice(&HEADER);
    while let Some((&id, after_id)) = rest.split_first() {
        let (length, body) = number(after_id)?;
        let content = body.get(..length)?;
        let after = body.get(length..)?;
        let is_manifest = id == CUSTOM && name(content) == Some(MANIFEST_SECTION.as_bytes());
        if !is_manifest {
            made.extend_from_slice(rest.get(..rest.len() - after.len())?);
        }
        rest = after;
    }
    let mut content = Vec::with_capacity(manifest.len() + 32);
    push_number(MANIFEST_SECTION.len(), &mut content);
    content.extend_from_slice(MANIFEST_SECTION.as_bytes());
    content.extend_from_slice(manifest);
    made.push(CUSTOM);
    push_number(content.len(), &mut made);
    made.extend_from_slice(&content);
    Some(made)
}

/// The name of a custom section.
fn name(content: &[u8]) -> Option<&[u8]> {
    let (length, rest) = number(content)?;
    rest.get(..length)
}

/// An unsigned LEB128 number of at most 32 bits, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value: u64 = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, bytes.get(index + 1..)?));
        }
    }
    None
}

fn push_number(mut value: usize, into: &mut Vec<u8>) {
    loop {
        let low = u8::try_from(value & 0x7f).unwrap_or(0x7f);
        value >>= 7;
        if value == 0 {
            into.push(low);
            return;
        }
        into.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn custom(name: &str, data: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        push_number(name.len(), &mut content);
        content.extend_from_slice(name.as_bytes());
        content.extend_from_slice(data);
        let mut section = vec![CUSTOM];
        push_number(content.len(), &mut section);
        section.extend(content);
        section
    }

    #[test]
    fn the_manifest_is_the_last_section_and_the_only_one_of_its_name() {
        let long = vec![7; 300];
        let other = custom("producers", &long);
        let old = custom(MANIFEST_SECTION, b"{\"old\":1}");
        let component = [HEADER.as_slice(), &old, &other].concat();
        let made = with_manifest(&component, b"{}").expect("a component");
        assert_eq!(made, [HEADER.as_slice(), &other, &custom(MANIFEST_SECTION, b"{}")].concat());
        assert_eq!(with_manifest(&made, b"{}").expect("a component"), made, "once more changes nothing");
    }

    #[test]
    fn what_is_no_component_or_is_cut_gets_no_manifest() {
        let component = [HEADER.as_slice(), &custom("x", b"yz")].concat();
        assert!(with_manifest(&component, b"{}").is_some());
        for cut in (0..component.len()).filter(|cut| *cut != HEADER.len()) {
            assert_eq!(with_manifest(&component[..cut], b"{}"), None, "cut after {cut} bytes");
        }
        assert_eq!(with_manifest(b"\0asm\x01\0\0\0", b"{}"), None, "a core module");
        let endless = [HEADER.as_slice(), &[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]].concat();
        assert_eq!(with_manifest(&endless, b"{}"), None);
    }
}
