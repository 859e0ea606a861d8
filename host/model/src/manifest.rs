//! What a component says of itself, and where: the one place that knows the section's name. Writing and reading it is done
//! by the rooms that make and open components.

/// The custom section of a component, at its top level, that holds its manifest as a JSON object: `interface`, `name`,
/// `description`, `tools`, `delegate`, `spawn`; of a built project also `version`, `licence` and its schemas.
pub const MANIFEST_SECTION: &str = "sandfork:manifest";

/// The interface that agents are built against, as `interface` in the manifest names it.
pub const INTERFACE: &str = "sandfork:agent@0.1.0";
