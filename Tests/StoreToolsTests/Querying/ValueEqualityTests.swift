#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import StoreTools
import Testing

/// Every value of every row equals what fetches give: attributes, to-one relationships, and members of to-many
/// relationships, those of ordered ones in their order.
@Suite struct ValueEqualityTests {
    /// Copies a store with everything beside it that belongs to it.
    private static func copy(_ url: URL) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let source = url.deletingLastPathComponent()
        let name = url.lastPathComponent
        let support = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        for file in try files.contentsOfDirectory(atPath: source.path) where file.hasPrefix(name) || file == support {
            try files.copyItem(at: source.appendingPathComponent(file), to: folder.file(file))
        }
        return folder
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: RealStores.all)
    func valuesOfApplesStoresEqualThoseOfFetches(_ sample: RealStores.Sample) throws {
        let (original, copy) = (try RealStores.copy(of: sample), try RealStores.copy(of: sample))
        defer {
            original.remove()
            copy.remove()
        }
        // The query reads other files than the fetches.
        let another = try RealStores.copy(of: sample)
        defer { another.remove() }
        let description = try sample.loadModel(another)
        let model =
            try sample.isOld ? Model(contentsOf: RealStores.folder.appendingPathComponent(#require(sample.model))) : nil
        let comparison = try ValueComparison(original.url, model: model, copy: copy.url, description)
        #expect(comparison.differences.isEmpty)
        #expect(comparison.total > 0)
    }

    @Test(arguments: ValueStores.named.map(\.name))
    func valuesOfStoresOfEveryKindEqualThoseOfFetches(_ name: String) throws {
        let make = try #require(ValueStores.named.first { $0.name == name }).make
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let description = try make(url)
        let copy = try Self.copy(url)
        let comparison = try ValueComparison(url, copy: copy.file("Store.sqlite"), description)
        #expect(comparison.differences.isEmpty)
        #expect(comparison.total > 20)
    }

    @Test(arguments: 0..<LongForm.choose(12, long: 300))
    func valuesOfRandomModelsEqualThoseOfFetches(_ seed: Int) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let description = try ValueStores.random(seed: seed, at: url)
        let copy = try Self.copy(url)
        let comparison = try ValueComparison(url, copy: copy.file("Store.sqlite"), description)
        #expect(comparison.differences.isEmpty)
    }
}
#endif
