import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Texts of models for people")
struct ModelLocalizationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ name: String) throws {
        let url = folder.file(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func model(_ name: String = "Library.momd") throws -> NSManagedObjectModel {
        let model = makeModel([("Thing", "size: i16"), ("Box : Thing", "label: string")])
        model.entitiesByName["Thing"]?.attributesByName["size"]?.setValidationPredicates(
            [NSPredicate(format: "SELF < 10")], withValidationWarnings: ["too big"])
        try model.write(to: folder.file(name))
        return try #require(NSManagedObjectModel(contentsOf: folder.file(name)))
    }

    @Test("come from the strings file beside the model's file")
    func beside() throws {
        try write("\"Entity/Thing\" = \"Ding\";", "LibraryModel.strings")
        try write("\"Entity/Thing\" = \"other\";", "Library.strings")
        for form in ["momd", "mom", "xcdatamodeld"] {
            #expect(try model("Library.\(form)").localizationDictionary == ["Entity/Thing": "Ding"], "\(form)")
        }
        let version = try #require(NSManagedObjectModel(contentsOf: folder.file("Library.momd/Library.mom")))
        #expect(version.localizationDictionary == ["Entity/Thing": "Ding"])
        #expect(try model("Other.momd").localizationDictionary == nil)
    }

    @Test("come in the language preferred, else in the model's own")
    func languages() throws {
        try write("a = de;", "de.lproj/LibraryModel.strings")
        try write("a = fr;", "fr.lproj/Library.strings")
        try write("a = none;", "Library.strings")
        let url = folder.file("Library.momd")
        func language(_ languages: [String]) throws -> String? {
            try ModelLocalization.file(for: url, languages: languages).map {
                try String(contentsOf: $0, encoding: .utf8)
            }
        }
        #expect(try language(["fr", "de"]) == "a = fr;")
        #expect(try language(["de-AT"]) == "a = de;")
        try FileManager.default.createDirectory(at: folder.file("it.lproj"), withIntermediateDirectories: true)
        #expect(try language(["it"]) == "a = none;")
    }

    @Test("are in the languages the environment names")
    func environment() {
        #expect(UserLanguages.preferred(["LANG": "de_AT.UTF-8"]) == ["de-AT"])
        #expect(UserLanguages.preferred(["LANG": "de_DE@euro", "LC_ALL": "fr_FR"]) == ["fr-FR"])
        #expect(UserLanguages.preferred(["LANGUAGE": "it:en", "LANG": "de"]) == ["it", "en", "de"])
        #expect(UserLanguages.preferred(["LANG": "C.UTF-8", "LC_ALL": ""]).isEmpty)
        let available = ["de", "en", "pt_BR", "zh-hans"]
        #expect(
            UserLanguages.matching(["zh-Hans-CN", "pt-BR", "de-AT"], among: available) == ["zh-hans", "pt_BR", "de"])
        #expect(UserLanguages.matching(["pt", "xx"], among: available).isEmpty)
    }

    @Test("may be set, and then files do not count")
    func setting() throws {
        try write("\"Entity/Thing\" = \"Ding\";", "LibraryModel.strings")
        let model = try model()
        model.localizationDictionary = ["Entity/Box": "Kiste"]
        #expect(model.localizationDictionary == ["Entity/Box": "Kiste"])
        model.localizationDictionary = nil
        #expect(model.localizationDictionary == nil)
    }

    @Test("go with copies, unions and archives")
    func copies() throws {
        try write("\"Entity/Thing\" = \"Ding\";", "LibraryModel.strings")
        let model = try model()
        let other = makeModel([("Other", "")])
        other.localizationDictionary = ["Entity/Other": "Anderes", "Entity/Thing": "Sache"]
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.localizationDictionary == ["Entity/Thing": "Ding"])
        let union = try #require(NSManagedObjectModel(byMerging: [model, other]))
        #expect(union.localizationDictionary?["Entity/Other"] == "Anderes")
        #expect(union.localizationDictionary?["Entity/Thing"] == "Ding")
        let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: data)
        #expect(read?.localizationDictionary == ["Entity/Thing": "Ding"])
    }

    @Test("stand in validation errors")
    func messages() throws {
        try write(
            """
            "Property/size/Entity/Thing" = "Größe";
            "Property/label" = "Aufschrift";
            "ErrorString/too big" = "zu groß";
            """, "LibraryModel.strings")
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
        context.performAndWait {
            let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            let missing = #expect(throws: NSError.self) { try box.validateForInsert() }
            let errors = missing?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(errors.map(\.localizedDescription).contains { $0.hasPrefix("Größe is a required value") })
            #expect(errors.map(\.localizedDescription).contains { $0.hasPrefix("Aufschrift is a required value") })
            box.setValue("x", forKey: "label")
            box.setValue(11, forKey: "size")
            let error = #expect(throws: NSError.self) { try box.validateForInsert() }
            #expect(error?.localizedDescription.hasPrefix("zu groß") == true)
        }
    }

    @Test("are none where the file is damaged")
    func damaged() throws {
        try write("\"Entity/Thing\" = \"Ding", "LibraryModel.strings")
        #expect(try model().localizationDictionary == nil)
    }
}
