//! A wasm binary as its sections, so that a change inside one leaves the sizes around it right: without that, hardly a change
//! gets past the first length. Knows the outer form alone; whether the inside is valid is what the loader is asked.

use crate::guests::Dice;

const HEADER_BYTES: usize = 8;
/// Section ids of a component.
const CORE_MODULE: u8 = 1;
const COMPONENT: u8 = 4;
/// Section id of a core module.
const CODE: u8 = 10;
/// The byte of the header that tells a component from a module.
const LAYER: usize = 6;

/// A component or module, cut at its sections.
struct Binary {
    header: Vec<u8>,
    sections: Vec<(u8, Vec<u8>)>,
}

impl Binary {
    /// `None` where the bytes are not whole sections behind a header.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (header, mut rest) = bytes.split_at_checked(HEADER_BYTES)?;
        let mut sections = Vec::new();
        while let Some((id, sized)) = rest.split_first() {
            let (body, behind) = take(sized)?;
            sections.push((*id, body.to_vec()));
            rest = behind;
        }
        header.starts_with(b"\0asm").then(|| Self { header: header.to_vec(), sections })
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = self.header.clone();
        for (id, body) in &self.sections {
            bytes.push(*id);
            put(&mut bytes, body);
        }
        bytes
    }

    fn is_component(&self) -> bool {
        self.header.get(LAYER).is_some_and(|layer| *layer == 1)
    }
}

/// The bytes with one change somewhere inside: `change` does it to the innermost part that was chosen, or sections are left
/// out, doubled or moved.
pub fn changed(bytes: &[u8], dice: &mut Dice, change: &mut dyn FnMut(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let Some(mut binary) = Binary::read(bytes).filter(|binary| !binary.sections.is_empty()) else {
        return change(bytes.to_vec());
    };
    let (at, other) = (dice.throw(binary.sections.len()), dice.throw(binary.sections.len()));
    match dice.throw(16) {
        0 => drop(binary.sections.remove(at)),
        1 => binary.sections.insert(other, binary.sections[at].clone()),
        2 => binary.sections.swap(at, other),
        3 => return change(bytes.to_vec()),
        _ => {
            let is_component = binary.is_component();
            let (id, body) = &mut binary.sections[at];
            *body = match (is_component, *id) {
                (true, CORE_MODULE | COMPONENT) => changed(body, dice, change),
                (false, CODE) => changed_code(body, dice, change),
                _ => change(body.clone()),
            };
        }
    }
    binary.write()
}

/// A code section with a change to one of its functions.
fn changed_code(section: &[u8], dice: &mut Dice, change: &mut dyn FnMut(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let Some(mut functions) = functions(section).filter(|functions| !functions.is_empty()) else {
        return change(section.to_vec());
    };
    let at = dice.throw(functions.len());
    functions[at] = change(std::mem::take(&mut functions[at]));
    let mut bytes = Vec::new();
    number(&mut bytes, functions.len());
    functions.iter().for_each(|function| put(&mut bytes, function));
    bytes
}

fn functions(section: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (count, mut rest) = leb(section)?;
    let mut functions = Vec::new();
    for _ in 0..count {
        let (function, behind) = take(rest)?;
        functions.push(function.to_vec());
        rest = behind;
    }
    Some(functions)
}

/// A part of a binary behind its size, and what follows it.
fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, rest) = leb(bytes)?;
    rest.split_at_checked(size)
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    number(bytes, part.len());
    bytes.extend_from_slice(part);
}

fn leb(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

fn number(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
