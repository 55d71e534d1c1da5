import Foundation

/// What the process takes of the machine's memory, by Linux's `/proc`.
package enum MemoryUse {
    package static var resident: Int { get throws { try kilobytes("VmRSS:") * 1024 } }
    package static var peak: Int { get throws { try kilobytes("VmHWM:") * 1024 } }

    /// Makes the present use the peak.
    package static func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    private static func kilobytes(_ name: String) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }),
            let number = Int(line.dropFirst(name.count).filter(\.isNumber))
        else { throw CocoaError(.fileReadCorruptFile) }
        return number
    }
}
