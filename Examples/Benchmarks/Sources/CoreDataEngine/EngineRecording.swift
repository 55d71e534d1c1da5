import CoreData

/// Recordings of what Core Data does, where it is this package's.
public enum EngineRecording {
    /// Begins to record the process.
    public static func start() {
        #if !canImport(Darwin)
        Instruments.start()
        #endif
    }

    /// Ends the recording.
    public static func stop() {
        #if !canImport(Darwin)
        Instruments.stop()
        #endif
    }
}
