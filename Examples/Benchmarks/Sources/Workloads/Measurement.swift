import Foundation

/// The result of one child process: one engine, one workload, one round.
public struct Sample: Codable, Sendable {
    /// The name of the engine.
    public var engine: String
    /// The workload.
    public var workload: Workload
    /// The number of rows in the store.
    public var rows: Int
    /// The elapsed time.
    public var nanoseconds: Double
    /// The processor time of all threads, user and system.
    public var cpuNanoseconds: Double
    /// The peak of the resident set, in bytes.
    public var peakBytes: Int
    /// The peak of the resident set minus its size before the workload, in bytes.
    public var growthBytes: Int
    /// The checksum of the values read.
    public var checksum: Checksum
    /// The checksum of the store afterwards, for workloads that write.
    public var storeChecksum: Checksum?
    /// The median of the page reads in nanoseconds, for the workload `readWhileWriting`.
    public var medianLatency: Double?
    /// The 99th percentile of the page reads in nanoseconds, for the workload `readWhileWriting`.
    public var tailLatency: Double?
    /// The number of rows that the concurrent writer has inserted, for the workload `readWhileWriting`.
    public var writtenRows: Int?

    /// Returns the figure of a metric, or nil if the sample has none.
    public func value(_ metric: Metric) -> Double? {
        switch metric {
        case .time: nanoseconds
        case .medianLatency: medianLatency
        case .tailLatency: tailLatency
        case .bytesPerRow: Double(growthBytes) / Double(max(rows, 1))
        }
    }
}

/// A meter of the time and memory that a closure takes.
public struct Meter {
    /// The elapsed time.
    public private(set) var nanoseconds = 0.0
    /// The processor time of all threads, user and system.
    public private(set) var cpuNanoseconds = 0.0
    /// The peak of the resident set, in bytes.
    public private(set) var peakBytes = 0
    /// The peak of the resident set minus its size before, in bytes.
    public private(set) var growthBytes = 0

    /// Creates a meter.
    public init() {}

    /// Runs `work` and records its time and memory.
    public mutating func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
        let resident = Self.residentBytes()
        let cpu = Self.usage().cpu
        let start = Self.now()
        let result = try work()
        nanoseconds = Double(Self.now() - start)
        cpuNanoseconds = Self.usage().cpu - cpu
        peakBytes = Self.highestResidentBytes()
        growthBytes = max(0, peakBytes - resident)
        return result
    }

    /// Returns the time of a monotonic clock in nanoseconds.
    public static func now() -> UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    private static func usage() -> (cpu: Double, peak: Int) {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        let unit = 1
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let unit = 1024
        #endif
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return (seconds * 1e9 + microseconds * 1e3, Int(usage.ru_maxrss) * unit)
    }

    /// Returns the current resident set. Without `/proc`, as on Apple's platforms, returns the peak so far, so that growth is
    /// measured from there.
    private static func residentBytes() -> Int { statusBytes("VmRSS:") ?? usage().peak }

    /// Returns the peak of the resident set. On Linux, the peak of `getrusage` would include that of the parent process.
    private static func highestResidentBytes() -> Int { statusBytes("VmHWM:") ?? usage().peak }

    private static func statusBytes(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Int($0)
            })
        else { return nil }
        return kibibytes * 1024
    }
}
