import Foundation
import Testing

@testable import CoreDataModelBuilding

@Suite("Linker names")
struct MangledNameTests {
    /// The names a source's accessors are given.
    private func names(_ source: String, file: String) throws -> Set<String> {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let other = folder.appendingPathComponent("Other.swift")
        try MangledSources.other.write(to: other, atomically: true, encoding: .utf8)
        var generator = AccessorGenerator(
            module: "App", files: [DeclarationScanner.scan(source, path: "/sources/" + file)],
            imported: ImportedModules([("Other", [other.path])]))
        let output = generator.run()
        #expect(output.problems.isEmpty, "\(output.problems)")
        return Set(
            output.source.split(separator: "\n").compactMap { line in
                line.contains("@_silgen_name") ? String(line.split(separator: "\"")[1]) : nil
            })
    }

    private func compare(_ ours: Set<String>, _ compiler: String) {
        let expected = Set(compiler.split(separator: "\n").map(String.init))
        #expect(ours.symmetricDifference(expected).sorted() == [])
    }

    @Test("of every type are the compiler's")
    func types() throws {
        compare(try names(MangledSources.types, file: "probe.swift"), MangledSources.typeSymbols)
    }

    @Test("of private, nested and extended members are the compiler's")
    func members() throws {
        compare(try names(MangledSources.members, file: "Members.swift"), MangledSources.memberSymbols)
    }

    @Test("of private members carry a hash of module and file")
    func discriminator() {
        #expect(MD5.hex("") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(MD5.hex("Appa.swift") == "2bef9c0ba08e42e259550b030f9d0e12")
        #expect(MD5.hex(String(repeating: "a", count: 130)).count == 32)
    }
}
