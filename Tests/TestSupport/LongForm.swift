import Foundation

/// Chooses how often tests repeat what they repeat: rounds, seeds, rows, pairs.
///
/// `MAGICALRECORD_LONG=1` asks for the long forms. `Tests/README.md` lists these and others.
public enum LongForm {
    /// Whether the long forms are wanted.
    public static let isWanted = ProcessInfo.processInfo.environment["MAGICALRECORD_LONG"] == "1"

    /// Chooses between what runs every day and the long form.
    public static func choose<Value>(_ short: Value, long: Value) -> Value { isWanted ? long : short }
}
