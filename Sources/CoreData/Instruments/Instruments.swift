/// Shows what Core Data does while a program runs: fetches, faults, cache hits, saves, merges, migrations, and the SQL they
/// lead to.
///
/// The engine reports each of these as an ``Event`` to whoever listens: the log on standard error, which Apple's launch
/// arguments switch on (see ``log(_:to:)``), recordings, and the alarm. While nothing listens, reporting is off and costs a load
/// and a branch for each operation.
///
/// All functions may be called from any thread.
public enum Instruments {}
