import CoreData

/// Recordings of what Core Data does, where it is this package's.
public enum EngineRecording {
    /// Begins to record the process.
    ///
    /// - Parameter findings: whether mistakes are looked for as well.
    public static func start(findings: Bool) {
        #if !canImport(Darwin)
        Instruments.start(findings: findings)
        #endif
    }

    /// Ends the recording.
    ///
    /// - Returns: how many statements it has counted.
    @discardableResult
    public static func stop() -> Int {
        #if canImport(Darwin)
        0
        #else
        Instruments.stop().totals.statements
        #endif
    }
}
