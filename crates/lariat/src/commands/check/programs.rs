//! `lariat check --harness`

use super::Options;
use crate::commands::{DataModelArg, write_file};
use lariat_session::harness::{Harness, script};
use std::collections::BTreeSet;
use std::path::Path;

/// Writes the programs that show the findings, and the script that runs them.
pub(super) fn write_all(o: &Options, folder: &Path, harnesses: &[Harness]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make the folder {}: {e}", folder.display()))?;
    let mut flags = o.compiler_flags.clone();
    if o.data_model == DataModelArg::Ilp32 {
        flags.push("-m32".to_owned());
    }
    let mut taken = BTreeSet::new();
    let mut programs: Vec<(Harness, Vec<String>)> = Vec::new();
    for h in harnesses {
        let (base, ending) = h.name.rsplit_once('.').unwrap_or((&h.name, "txt"));
        let names = std::iter::once(h.name.clone()).chain((2..).map(|n| format!("{base}-{n}.{ending}")));
        let name = names.into_iter().find(|n| taken.insert(n.clone())).expect("one of the names is free");
        programs.push((Harness { name, ..h.clone() }, flags.clone()));
    }
    for (h, _) in &programs {
        write_file(&folder.join(&h.name), &h.text)?;
    }
    let from = std::env::current_dir().map_err(|e| format!("the current folder is not known: {e}"))?;
    let run = folder.join("run.sh");
    write_file(&run, &script(&programs, &from))?;
    make_executable(&run)
}

fn make_executable(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let fail = |e: std::io::Error| format!("{} cannot be made executable: {e}", path.display());
    let mut permissions = std::fs::metadata(path).map_err(fail)?.permissions();
    permissions.set_mode(0o755);
    std::fs::set_permissions(path, permissions).map_err(fail)
}
