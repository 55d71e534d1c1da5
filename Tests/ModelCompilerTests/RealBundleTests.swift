import Foundation
import MagicalRecordTestSupport
import ModelCompiler
import ModelFormat
import ModelPredicates
import Testing

/// Whole bundles as applications have them, through every form and every command.
@Suite("Real bundles", .slow, .enabled(if: RealModels.areAvailable))
struct RealBundleTests {
    static let sources: [String] = {
        let paths = FileManager.default.enumerator(atPath: RealModels.folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".xcdatamodeld") }.sorted()
    }()

    @Test(
        "compile and come back with all versions and their hashes, as VersionInfo.plist records them",
        arguments: sources)
    func compiled(_ path: String) throws {
        let models = try TemporaryModels()
        let bundle = try ModelBundle(contentsOf: RealModels.folder.appendingPathComponent(path))
        let url = models.folder.appendingPathComponent("Out.momd")
        try bundle.writeCompiled(to: url, parser: FormatTextParser())
        let read = try ModelBundle(contentsOf: url)
        #expect(read.versions.map(\.name) == bundle.versions.map(\.name))
        #expect(read.currentVersionName == bundle.currentVersionName)
        let info = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: url.appendingPathComponent("VersionInfo.plist")), format: nil)
        let recorded = (info as? [String: Any])?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        for (source, compiled) in zip(bundle.versions, read.versions) {
            let hashes = try source.model.versionHashes()
            #expect(try compiled.model.versionHashes() == hashes, "\(source.name)")
            #expect(recorded?[source.name] == hashes, "\(source.name)")
            #expect(compiled.model.problems().isEmpty)
            // What a compiled model says stays the same when it is compiled, or cached in a store, again.
            #expect(try Model(archive: compiled.model.archive(parser: FormatTextParser())) == compiled.model)
            #expect(try Model(cacheContent: compiled.model.cacheContent(parser: FormatTextParser())) == compiled.model)
        }
    }

    @Test("decompile into XML that compiles to the same", arguments: sources)
    func decompiled(_ path: String) throws {
        let models = try TemporaryModels()
        let bundle = try ModelBundle(contentsOf: RealModels.folder.appendingPathComponent(path))
        let (first, again) = (models.folder.appendingPathComponent("A.momd"), models.path("B.momd"))
        try bundle.writeCompiled(to: first, parser: FormatTextParser())
        let result = models.run("decompile", first.path, "-o", models.path("Back.xcdatamodeld"))
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(models.run("compile", models.path("Back.xcdatamodeld"), "-o", again).status == 0)
        let read = try ModelBundle(contentsOf: URL(fileURLWithPath: again))
        #expect(try read.versions.map(\.model) == ModelBundle(contentsOf: first).versions.map(\.model))
    }

    @Test("can be shown, drawn and compared version by version", arguments: sources)
    func commands(_ path: String) throws {
        let models = try TemporaryModels()
        let source = RealModels.path(path)
        let names = try ModelBundle(contentsOf: URL(fileURLWithPath: source)).versions.map(\.name)
        for name in names.suffix(2) {
            for words in [["show"], ["show", "--json"], ["hashes"], ["diagram"], ["diagram", "--format", "mermaid"]] {
                let result = ModelTool.run(words + [source, "--version", name])
                #expect(result.status == 0 && result.errors.isEmpty && !result.output.isEmpty, "\(words)")
            }
        }
        // The last versions alone, but in the long form.
        let compared = LongForm.choose(Array(names.suffix(4)), long: names)
        for (old, new) in zip(compared, compared.dropFirst()) {
            let difference = models.run("diff", source, "--from", old, "--to", new)
            #expect(difference.status <= 1 && difference.errors.isEmpty, "\(old) to \(new)")
            #expect(models.run("diff", source, "--from", new, "--to", new).status == 0)
        }
    }
}
