import Foundation

/// The tests of a target that need `../shared/data`, files made by Apple's tools that are no part of the project.
///
/// They are skipped where the folder is missing; ``report()`` says how many those are.
public struct SharedData {
    /// The tests to skip, by suite or by the line they are on: names and how many tests there are.
    public private(set) var tests: [(name: String, count: Int)] = []
    private let target: String

    public static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data")

    public static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Looks for the traits that ask for the data in the sources of a test target.
    ///
    /// - Parameter file: any file at the top of the target's folder.
    public init(neededBesides file: String) throws {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        target = folder.lastPathComponent
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for path in paths.sorted() where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            add(text.components(separatedBy: "\n"), of: path)
        }
    }

    private mutating func add(_ lines: [String], of path: String) {
        for (index, line) in lines.enumerated()
        where line.contains(".enabled(if: Real") && line.contains("vailable") {
            // The attribute begins in this line or a little before it.
            let start = lines[...index].lastIndex { $0.contains("@Suite") || $0.contains("@Test") } ?? index
            guard lines[start].contains("@Suite") else {
                tests.append((name: "\(path):\(index + 1)", count: 1))
                continue
            }
            let end = lines[index...].firstIndex(of: "}") ?? lines.count
            tests.append((name: path, count: lines[index..<end].count { $0.contains("@Test") }))
        }
    }

    /// How many tests need the data.
    public var count: Int { tests.reduce(0) { $0 + $1.count } }

    /// What is skipped, in words; nil where the data is there.
    public func report() -> String? {
        guard !Self.isThere else { return nil }
        let names = tests.map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count))" }.joined(separator: ", ")
        return "\(target): skipped \(count) tests that need \(Self.folder.path), which is not there: \(names)."
    }
}
