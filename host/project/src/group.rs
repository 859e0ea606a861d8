//! A child process together with whatever it starts: on Unix a process group of its own, which is ended as one. Elsewhere the
//! child alone. No terminal reaches such a group, so whoever starts one must listen for interruptions himself.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A running program and those that it started. Ended with this value, unless it has ended by itself.
pub(crate) struct Group {
    pub(crate) child: Child,
    has_ended: bool,
}

impl Group {
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self { child: command.spawn()?, has_ended: false })
    }

    /// How the program ended, if it has. What it left behind is left alone: a server that serves the next build, too.
    ///
    /// # Errors
    /// When the system cannot tell.
    pub(crate) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.has_ended |= status.is_some();
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The number of a group whose leader is gone may be somebody else's by now.
        if self.has_ended {
            return;
        }
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        // It may have left its group; and whoever is not waited for stays in the list of processes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a process of this number may still be there. Where nobody can tell, it may.
pub(crate) fn may_live(process: u32) -> bool {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) {
        return rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH);
    }
    let _ = process;
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_waited_for_lives_no_more() {
        assert!(may_live(std::process::id()) && may_live(1) && may_live(0) && may_live(u32::MAX));
        let mut child = Command::new("/bin/true").spawn().expect("starts");
        child.wait().expect("ends");
        assert!(!may_live(child.id()));
    }
}
