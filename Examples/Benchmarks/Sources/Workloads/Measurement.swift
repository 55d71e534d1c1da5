import Foundation

/// What one child process reports: one engine, one workload, one round.
public struct Sample: Codable, Sendable {
    public var engine: String
    public var workload: Workload
    public var rows: Int
    public var nanoseconds: Double
    public var cpuNanoseconds: Double
    /// Peak of the resident set, and how far it rose above its size before the workload, in bytes.
    public var peakBytes: Int
    public var growthBytes: Int
    public var checksum: Checksum
    public var storeChecksum: Checksum?
    /// Median and 99th percentile of the single page reads, in nanoseconds; only beside a writer.
    public var medianLatency: Double?
    public var tailLatency: Double?
    public var writtenRows: Int?

    public func value(_ metric: Metric) -> Double? {
        switch metric {
        case .time: nanoseconds
        case .medianLatency: medianLatency
        case .tailLatency: tailLatency
        case .bytesPerRow: Double(growthBytes) / Double(max(rows, 1))
        }
    }
}

/// Time and memory of a piece of work.
public struct Meter {
    public private(set) var nanoseconds = 0.0
    public private(set) var cpuNanoseconds = 0.0
    public private(set) var peakBytes = 0
    public private(set) var growthBytes = 0

    public init() {}

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

    /// The resident set now. Apple's platforms have no cheap file for it; there growth counts from the last peak.
    private static func residentBytes() -> Int { statusBytes("VmRSS:") ?? usage().peak }

    /// The largest it has been. What Linux counts as a resource includes the process that started this one.
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
