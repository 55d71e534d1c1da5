/// Shows the operations of Core Data while a program runs: fetches, faults, cache hits, saves, merges, migrations, and their
/// SQL.
///
/// The engine reports each operation as an ``Event`` to its listeners: the log on standard error, which Apple's launch
/// arguments enable (see ``log(_:to:)``), recordings, and the alarm. Without listeners, reporting is off and costs a load and a
/// branch for each operation.
///
/// All functions may be called on any thread.
public enum Instruments {}
