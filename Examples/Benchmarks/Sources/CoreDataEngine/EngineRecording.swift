import CoreData

/// Recordings of Core Data's operations. With Apple's Core Data, the functions do nothing.
public enum EngineRecording {
    /// Starts to record all operations of the process.
    ///
    /// - Parameter findings: true to also search for performance mistakes.
    public static func start(findings: Bool) {
        #if !canImport(Darwin)
        Instruments.start(findings: findings)
        #endif
    }

    /// Stops the recording.
    ///
    /// - Returns: the number of statements that it has counted.
    @discardableResult
    public static func stop() -> Int {
        #if canImport(Darwin)
        0
        #else
        Instruments.stop().totals.statements
        #endif
    }
}
