//! Upper bounds on what instantiating a component makes, nested components unfolded. A component of a few hundred bytes can
//! instantiate itself into millions, and the compiler unfolds them all: so they are counted first, without unfolding.

use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind, ComponentTypeRef, Instance,
};

/// What one core module makes when it is instantiated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ModuleParts {
    /// Memories it defines.
    pub(crate) memories: u64,
    /// Tables it defines.
    pub(crate) tables: u64,
}

/// What one instantiation of a component makes at most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unfolded {
    /// Core and component instances together.
    pub(crate) instances: u64,
    /// Core instances alone.
    pub(crate) core_instances: u64,
    /// Linear memories.
    pub(crate) memories: u64,
    /// Tables.
    pub(crate) tables: u64,
}

impl Unfolded {
    /// The larger of both, number by number.
    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            instances: self.instances.max(other.instances),
            core_instances: self.core_instances.max(other.core_instances),
            memories: self.memories.max(other.memories),
            tables: self.tables.max(other.tables),
        }
    }

    fn add(&mut self, other: Self) {
        self.instances = self.instances.saturating_add(other.instances);
        self.core_instances = self.core_instances.saturating_add(other.core_instances);
        self.memories = self.memories.saturating_add(other.memories);
        self.tables = self.tables.saturating_add(other.tables);
    }
}

/// One component that is being read.
///
/// Modules are followed by their index. Components are not: an instantiation counts as the largest component that has been
/// read so far at any level, which bounds it, because a component is defined before it is instantiated. Only a component
/// taken as an argument could come later; those are refused.
#[derive(Debug, Default)]
pub(crate) struct Level {
    /// `None` for a module from an alias or import, whose parts are unknown here.
    modules: Vec<Option<ModuleParts>>,
    sum: Unfolded,
}

impl Level {
    /// A core module was defined here.
    pub(crate) fn module(&mut self, parts: ModuleParts) {
        self.modules.push(Some(parts));
    }

    /// A core instance is made here.
    pub(crate) fn core_instance(&mut self, instance: &Instance<'_>) {
        let Instance::Instantiate { module_index, .. } = instance else {
            return;
        };
        let index = usize::try_from(*module_index).unwrap_or(usize::MAX);
        // A module from elsewhere defines at most one memory, the proposal for more being off, and its tables are few.
        let parts = self.modules.get(index).copied().flatten().unwrap_or(ModuleParts { memories: 1, tables: 1 });
        self.sum.add(Unfolded { instances: 1, core_instances: 1, memories: parts.memories, tables: parts.tables });
    }

    /// A component instance is made here, at most of the size `largest`.
    pub(crate) fn component_instance(&mut self, instance: &ComponentInstance<'_>, largest: Unfolded) {
        if let ComponentInstance::Instantiate { .. } = instance {
            self.sum.add(Unfolded { instances: 1, ..Unfolded::default() });
            self.sum.add(largest);
        }
    }

    /// Something is aliased into this level's index spaces.
    pub(crate) fn alias(&mut self, alias: &ComponentAlias<'_>) {
        match alias {
            ComponentAlias::InstanceExport { kind: ComponentExternalKind::Module, .. }
            | ComponentAlias::Outer { kind: ComponentOuterAliasKind::CoreModule, .. } => self.modules.push(None),
            _ => {}
        }
    }

    /// Something is imported into this level's index spaces.
    pub(crate) fn import(&mut self, ty: ComponentTypeRef) {
        if let ComponentTypeRef::Module(_) = ty {
            self.modules.push(None);
        }
    }

    /// The bounds of the whole level.
    pub(crate) fn unfolded(&self) -> Unfolded {
        self.sum
    }
}
