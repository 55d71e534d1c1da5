import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

extension Instruments {
    /// The reaction to a finding.
    public enum Reaction: Sendable {
        /// Writes it to standard error, once for each place in the program.
        case log
        /// Keeps it for ``Instruments/findings``, which symbolicates its line; until then that does not slow down the program.
        case collect
        /// Writes it to standard error and traps, so that a debugger shows the code.
        case stop
        /// Passes it to a function, on the thread that caused it. The function must not use Core Data.
        case call(@Sendable (Finding) -> Void)
    }

    private static let alarm = Locked<Alarm?>(nil)

    /// Starts detecting queries that are repeated for each object, and other performance mistakes, in the whole process; see
    /// ``Finding/Kind``. The environment variable `COREDATA_ALARM`, set to `log`, `collect` or `stop`, does the same.
    ///
    /// For debug builds, in which findings have a source line; in release builds ``Finding/place`` is nil. Starting again
    /// replaces settings and reaction, and drops earlier findings.
    ///
    /// - Parameters:
    ///   - reaction: The reaction to a finding, which is also kept for ``findings``.
    ///   - settings: The thresholds of mistakes.
    public static func startAlarm(_ reaction: Reaction = .log, settings: AlarmSettings = AlarmSettings()) {
        let new = if case .collect = reaction { Alarm(settings) } else { Alarm(settings) { reaction.react(to: $0) } }
        let old = alarm.withLock { alarm in
            defer { alarm = new }
            return alarm
        }
        if let old { Probe.remove(old) }
        Probe.add(new)
    }

    /// Stops the detection started by ``startAlarm(_:settings:)``.
    ///
    /// - Returns: The findings; empty if the alarm was off.
    @discardableResult
    public static func stopAlarm() -> [Finding] {
        let old = alarm.withLock { alarm in
            defer { alarm = nil }
            return alarm
        }
        guard let old else { return [] }
        Probe.remove(old)
        return old.findings()
    }

    /// The findings of the alarm since it was started, one for each place in the program; empty while it is off.
    public static var findings: [Finding] { alarm.withLock { $0 }?.findings() ?? [] }

    /// Runs `body` and throws if it makes a performance mistake, in this task and its child tasks: for tests.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or ``FindingsError``.
    public static func requireNoFindings<Result>(
        settings: AlarmSettings = AlarmSettings(), isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let alarm = Alarm(settings)
        let result = try await listening(with: alarm, body)
        let findings = alarm.findings()
        guard findings.isEmpty else { throw FindingsError(findings: findings) }
        return result
    }

    /// Runs `body` and returns its performance mistakes, in this task and its child tasks.
    ///
    /// - Parameters:
    ///   - settings: The thresholds of mistakes.
    ///   - isolation: The actor that `body` runs on.
    ///   - body: The code to examine. Its result is ignored.
    /// - Throws: The error of `body`.
    public static func findings<Result>(
        settings: AlarmSettings = AlarmSettings(), isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> [Finding] {
        let alarm = Alarm(settings)
        _ = try await listening(with: alarm, body)
        return alarm.findings()
    }

    /// Runs `body` while a listener receives the operations of this task and its child tasks.
    static func listening<Result>(
        with listener: some EventListener, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        Probe.beginScope(listener)
        defer { Probe.endScope(listener) }
        let scope = InstrumentScope(listener, outer: InstrumentScope.innermost)
        return try await InstrumentScope.$current.withValue(scope, operation: body)
    }

    /// Runs synchronous code while a listener receives its operations.
    static func listening<Result>(with listener: some EventListener, _ body: () throws -> Result) rethrows -> Result {
        Probe.beginScope(listener)
        defer { Probe.endScope(listener) }
        let scope = InstrumentScope(listener, outer: InstrumentScope.innermost)
        return try InstrumentScope.$current.withValue(scope) { try InstrumentOrigin.with(scope, body) }
    }
}

extension Instruments {
    /// The error of ``requireNoFindings(settings:isolation:_:)``: the performance mistakes found.
    public struct FindingsError: LocalizedError, CustomStringConvertible {
        /// The mistakes.
        public let findings: [Finding]

        public var description: String { findings.map(\.description).joined(separator: "\n") }
        public var errorDescription: String? { description }
    }
}

extension Instruments.Finding: CustomStringConvertible {
    /// The place, the message, and the remedy.
    public var description: String { (place.map { "\($0): " } ?? "") + message + " " + remedy }
}

extension Instruments.Reaction {
    fileprivate func react(to finding: Instruments.Finding) {
        switch self {
        case .collect: break
        case .log: StandardError.write(LogLine.escaped("CoreData: warning: \(finding)"))
        case .stop:
            StandardError.write(LogLine.escaped("CoreData: warning: \(finding)"))
            raise(SIGTRAP)
        case .call(let function): function(finding)
        }
    }
}
