import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

extension Instruments {
    /// What happens when the alarm finds a mistake.
    public enum Reaction: Sendable {
        /// It is written to standard error, once for each place in the program.
        case log
        /// It is kept for ``Instruments/findings``, which looks its line up; until then the program is not delayed by that.
        case collect
        /// It is written to standard error and the process stops with a trap, where a debugger shows the code at fault.
        case stop
        /// It is passed to a function, on the thread that made it. The function must not use Core Data.
        case call(@Sendable (Finding) -> Void)
    }

    private static let alarm = Locked<Alarm?>(nil)

    /// Watches the whole process for queries that are repeated for each object, and other mistakes that cost time; see
    /// ``Finding/Kind``. The environment variable `COREDATA_ALARM`, with `log`, `collect` or `stop`, does the same.
    ///
    /// Meant for debug builds, which can tell the line of the program that is at fault; in release builds findings have no
    /// ``Finding/place``. Starting it again replaces settings and reaction, and drops what was found.
    ///
    /// - Parameters:
    ///   - reaction: what happens with a finding, in addition to being kept for ``findings``.
    ///   - settings: from when on something is a mistake.
    public static func startAlarm(_ reaction: Reaction = .log, settings: AlarmSettings = AlarmSettings()) {
        let new = if case .collect = reaction { Alarm(settings) } else { Alarm(settings) { reaction.react(to: $0) } }
        let old = alarm.withLock { alarm in
            defer { alarm = new }
            return alarm
        }
        if let old { Probe.remove(old) }
        Probe.add(new)
    }

    /// Ends what ``startAlarm(_:settings:)`` began.
    ///
    /// - Returns: what was found; nothing if the alarm was off.
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

    /// What the alarm has found since it was started, each place in the program once; empty while it is off.
    public static var findings: [Finding] { alarm.withLock { $0 }?.findings() ?? [] }

    /// Runs `body`, in this task and those it starts, and throws if it makes a mistake that costs time: for tests.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; else ``FindingsError``.
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

    /// Runs `body`, and returns the mistakes that cost time which it makes, in this task and those it starts.
    ///
    /// - Parameters:
    ///   - settings: from when on something is a mistake.
    ///   - isolation: the actor on which `body` runs.
    ///   - body: what is watched. Its result is ignored.
    /// - Throws: what `body` throws.
    public static func findings<Result>(
        settings: AlarmSettings = AlarmSettings(), isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> [Finding] {
        let alarm = Alarm(settings)
        _ = try await listening(with: alarm, body)
        return alarm.findings()
    }

    /// Runs `body` while a listener receives what it and the tasks it starts do.
    static func listening<Result>(
        with listener: some EventListener, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        Probe.beginScope(listener)
        defer { Probe.endScope(listener) }
        let scope = InstrumentScope(listener, outer: InstrumentScope.innermost)
        return try await InstrumentScope.$current.withValue(scope, operation: body)
    }

    /// The same for code that does not wait.
    static func listening<Result>(with listener: some EventListener, _ body: () throws -> Result) rethrows -> Result {
        Probe.beginScope(listener)
        defer { Probe.endScope(listener) }
        let scope = InstrumentScope(listener, outer: InstrumentScope.innermost)
        return try InstrumentScope.$current.withValue(scope) { try InstrumentOrigin.with(scope, body) }
    }
}

extension Instruments {
    /// Mistakes that cost time, where ``requireNoFindings(settings:isolation:_:)`` allows none.
    public struct FindingsError: LocalizedError, CustomStringConvertible {
        /// The mistakes.
        public let findings: [Finding]

        public var description: String { findings.map(\.description).joined(separator: "\n") }
        public var errorDescription: String? { description }
    }
}

extension Instruments.Finding: CustomStringConvertible {
    /// The place, what happened there, and what to write instead.
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
