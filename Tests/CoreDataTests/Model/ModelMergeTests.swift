import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Models found beside a program that cannot be merged are reported with their bundles.
struct ModelMergeTests {
    /// A folder with resource bundles as the package manager makes them, each with a model of one entity.
    private func bundles(_ folder: TemporaryFolder, _ models: [(bundle: String, attribute: String)]) throws -> [Bundle]
    {
        try models.map { name, attribute in
            let place = folder.file("\(name).resources")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let item = LibraryModel.entity("Item")
            item.properties = [LibraryModel.attribute(attribute, .stringAttributeType)]
            let model = NSManagedObjectModel()
            model.entities = [item]
            try model.write(to: place.appendingPathComponent("\(attribute).mom"), versionName: nil)
            return try #require(Bundle(url: place))
        }
    }

    private func checkConflict(_ words: String) {
        for word in ["App_One.resources/first.mom", "App_Two.resources/second.mom", "Item"] {
            #expect(words.contains(word), "\(words)")
        }
    }

    @Test func conflictsNameBundlesAndRemedy() throws {
        let folder = try TemporaryFolder()
        let both = try bundles(folder, [("App_One", "first"), ("App_Two", "second")])
        do {
            _ = try NSManagedObjectModel.merging(bundles: both)
            Issue.record("The models were merged.")
        } catch let error as NSError {
            #expect(error.code == NSCoreDataError)
            checkConflict(error.localizedDescription)
            #expect(error.localizedRecoverySuggestion?.contains("mergedModel(from: [.module])") == true)
        }
        // One of them, and equal entities in both, are fine.
        #expect(try NSManagedObjectModel.merging(bundles: [both[1]])?.entities.count == 1)
        let equal = try bundles(folder, [("App_Three", "same"), ("App_Four", "same")])
        #expect(try NSManagedObjectModel.merging(bundles: equal)?.entities.count == 1)
        #expect(try NSManagedObjectModel.merging(bundles: []) == nil)
    }

    /// A program in a folder of its own, with the bundles beside it.
    private func run(_ models: [(bundle: String, attribute: String)]) throws -> [String] {
        let folder = try TemporaryFolder()
        _ = try bundles(folder, models)
        let program = folder.file("CoreDataStoreWorker")
        try Worker.copyProgram(to: program)
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["model", folder.file("Store.sqlite").path]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func containersReportConflictsWhenStoresAreLoaded() throws {
        let lines = try run([("App_One", "first"), ("App_Two", "second")])
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("failed ") == true)
        checkConflict(lines.first ?? "")
    }

    /// The bundle of the program's own target wins over those of others in the same folder.
    @Test func aProgramTakesItsOwnModel() throws {
        #expect(try run([("App_One", "first"), ("App_CoreDataStoreWorker", "second")]) == ["loaded second"])
    }
}
