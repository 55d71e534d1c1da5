import CoreData
import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Testing

@Suite struct CopyCommandTests {
    @Test func aStoreIsCopiedToAnotherTypeAndBack() throws {
        let store = try CommandStore()
        let before = try store.contents()
        let (xml, back) = (store.folder.file("a.xml").path, store.folder.file("b.sqlite").path)
        let copied = CommandRunner.run("copy", store.path, xml)
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try before.allSatisfy { try Data(contentsOf: store.folder.file($0.key)) == $0.value })
        #expect(try Set(store.contents().keys) == Set(before.keys).union(["a.xml"]))
        #expect(copied.output == "Copied 9 objects to \(xml) (XML).\n")
        let noModel = CommandRunner.run("copy", xml, back)
        #expect(noModel.status == 2)
        #expect(noModel.errors.contains("--model MODEL"))
        // The model of a store may be that of another one.
        #expect(CommandRunner.run("copy", xml, back, "--model", store.path).status == 0)
        let words = "Book sort title show title, pages, price, author.name"
        #expect(CommandRunner.run("query", back, words).output == CommandRunner.run("query", store.path, words).output)
    }

    @Test func anExistingFileIsNotReplaced() throws {
        let store = try CommandStore(authors: 1)
        let other = store.folder.file("other.sqlite")
        try Data("mine".utf8).write(to: other)
        let result = CommandRunner.run("copy", store.path, other.path)
        #expect(result.status == 2)
        #expect(result.errors.contains("There is a file at"))
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
    }

    @Test func aRehearsedMigrationLeavesTheStoreAsItIs() throws {
        let store = try CommandStore(authors: 2)
        let before = try store.contents()
        let result = CommandRunner.run("migrate", store.path, "--to", store.path, "--rehearse")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "Library.sqlite is of the version Library already.\n")
        #expect(try store.contents() == before)
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment))
    func losesOfARehearsalAreFindings() throws {
        let sample = RealStores.Sample(store: "sample/SampleModel_V1.sqlite", model: nil)
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let models = RealStores.folder.appendingPathComponent("sample/SampleModel.xcdatamodeld").path
        let result = CommandRunner.run(
            "migrate", copy.url.path, "--to", models, "--version", "SampleModel2", "--rehearse")
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.output.contains("loses 20 values of Person.id"))
        #expect(result.output.hasSuffix("Rehearsed: SampleModel_V1.sqlite is as it was.\n"))
    }
}
