/// The log level under the names of the pre-releases of 2.3. No release had them.
extension MagicalRecord {
    /// Returns the log level.
    #if canImport(ObjectiveC)
    @objc(logLevel)
    #endif
    @available(*, deprecated, renamed: "loggingLevel()")
    @discardableResult
    public class func logLevel() -> MagicalRecordLoggingLevel { loggingLevel() }

    /// Sets the log level.
    #if canImport(ObjectiveC)
    @objc(setLogLevel:)
    #endif
    @available(*, deprecated, renamed: "setLoggingLevel(_:)")
    public class func setLogLevel(_ level: MagicalRecordLoggingLevel) { setLoggingLevel(level) }
}
