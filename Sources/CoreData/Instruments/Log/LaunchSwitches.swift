import CoreDataRowStorage
import Foundation

/// The launch arguments of Apple's framework for debugging, and environment variables for programs that take no such arguments.
///
/// | argument | variable | effect |
/// | --- | --- | --- |
/// | `-com.apple.CoreData.SQLDebug 1` | `COREDATA_SQL_DEBUG=1` | ``Instruments/log(_:to:)`` with that level, 1 to 4 |
/// | `-com.apple.CoreData.MigrationDebug 1` | `COREDATA_MIGRATION_DEBUG=1` | logs the steps of migrations |
/// | | `COREDATA_ALARM=log` | ``Instruments/startAlarm(_:settings:)`` with `log`, `collect` or `stop` |
/// | `-com.apple.CoreData.Logging.stderr 0` | `COREDATA_LOGGING_STDERR=0` | disables the logs |
///
/// Off Apple's platforms, standard error is the only log, so `Logging.stderr` is on unless it is set to 0.
struct LaunchSwitches {
    var sqlDebug = Instruments.LogLevel.off
    var migrationDebug = false
    var writesToStandardError = true
    var alarm: Instruments.Reaction?

    init(arguments: [String], environment: [String: String]) {
        func value(_ argument: String, _ variable: String) -> String? {
            if let index = arguments.firstIndex(of: "-com.apple.CoreData." + argument) {
                // An argument without a value enables the switch.
                return index + 1 < arguments.count ? arguments[index + 1] : "1"
            }
            return environment[variable]
        }
        func isOn(_ text: String) -> Bool {
            Int(text).map { $0 != 0 } ?? ["yes", "true", "y", "t"].contains(text.lowercased())
        }
        if let text = value("SQLDebug", "COREDATA_SQL_DEBUG") {
            let level = Int(text) ?? (isOn(text) ? 1 : 0)
            sqlDebug = Instruments.LogLevel(rawValue: max(0, min(level, 4))) ?? .off
        }
        migrationDebug = value("MigrationDebug", "COREDATA_MIGRATION_DEBUG").map(isOn) ?? false
        alarm = environment["COREDATA_ALARM"].flatMap(Self.reaction)
        writesToStandardError = value("Logging.stderr", "COREDATA_LOGGING_STDERR").map(isOn) ?? true
    }

    private static func reaction(_ name: String) -> Instruments.Reaction? {
        switch name.lowercased() {
        case "collect": .collect
        case "stop": .stop
        case "", "0", "no", "off": nil
        default: .log
        }
    }

    /// Applies the switches that the process was started with, on the first call.
    static func apply() { _ = applied }

    private static let applied: Void = {
        let switches = LaunchSwitches(
            arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
        if let alarm = switches.alarm { Instruments.startAlarm(alarm) }
        guard switches.writesToStandardError else { return }
        if switches.sqlDebug > .off { Instruments.log(switches.sqlDebug) }
        if switches.migrationDebug { Probe.add(MigrationLog(StandardError.write)) }
    }()
}
