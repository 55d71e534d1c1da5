import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import Testing

@testable import CoreData

/// Attributes that change from one numeric type to another, by every way a store migrates.
struct NumericConversionTests {
    /// `Part` with a count, `SparePart` below it; as another type, and renamed if wanted.
    private func model(_ type: NSAttributeType, renamed: Bool = false) -> NSManagedObjectModel {
        let part = LibraryModel.entity("Part"), spare = LibraryModel.entity("SparePart")
        let amount = LibraryModel.attribute(renamed ? "total" : "amount", type)
        if renamed { amount.renamingIdentifier = "amount" }
        part.properties = [LibraryModel.attribute("name", .stringAttributeType), amount]
        part.subentities = [spare]
        let model = NSManagedObjectModel()
        model.entities = [part, spare]
        return model
    }

    /// The ways a store migrates without a mapping model of its own.
    enum Way: String, CaseIterable, Sendable {
        case inPlace, byObjects, binary, xml, staged, manager, server

        static let allCases: [Way] =
            [.inPlace, .byObjects, .binary, .xml, .staged, .manager] + (StoreKind.hasServer ? [.server] : [])

        var type: String {
            switch self {
            case .binary: NSBinaryStoreType
            case .xml: NSXMLStoreType
            case .server: StoreKind.postgreSQL.type
            default: NSSQLiteStoreType
            }
        }
    }

    /// Migrates, and opens the result.
    private func migrate(
        _ store: MigrationStore, _ way: Way, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel,
        _ look: (NSManagedObjectContext) throws -> Void
    ) throws {
        switch way {
        case .inPlace, .binary, .xml, .server: try store.open(new, options: MigrationStore.automatically, look)
        case .staged:
            var options = MigrationStore.automatically
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
                NSLightweightMigrationStage([old.versionChecksum, new.versionChecksum])
            ])
            try store.open(new, options: options, look)
        case .byObjects, .manager:
            let result = try MigrationStore()
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            manager.usesStoreSpecificMigrationManager = way == .manager
            try manager.migrateStore(
                from: store.url, sourceType: store.type,
                with: .inferredMappingModel(forSourceModel: old, destinationModel: new),
                toDestinationURL: result.url, destinationType: NSSQLiteStoreType)
            try result.open(new, look)
        }
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var from: NSAttributeType
        var to: NSAttributeType
        var values: [Double]
        /// One that does not fit.
        var misfit: Double?
        var testDescription: String { "\(from.words) to \(to.words)" }
    }

    static let changes: [Change] = [
        Change(from: .integer16AttributeType, to: .integer32AttributeType, values: [-32768, 0, 32767]),
        Change(from: .integer16AttributeType, to: .integer64AttributeType, values: [-32768, 32767]),
        Change(
            from: .integer32AttributeType, to: .integer16AttributeType, values: [-32768, 32767], misfit: 32768),
        Change(
            from: .integer64AttributeType, to: .integer16AttributeType, values: [-5, 32767], misfit: -32769),
        Change(
            from: .integer64AttributeType, to: .integer32AttributeType, values: [-2_147_483_648, 2_147_483_647],
            misfit: 2_147_483_648),
        Change(from: .booleanAttributeType, to: .integer16AttributeType, values: [0, 1]),
        Change(from: .booleanAttributeType, to: .integer32AttributeType, values: [0, 1]),
        Change(from: .booleanAttributeType, to: .integer64AttributeType, values: [0, 1]),
        Change(from: .integer16AttributeType, to: .floatAttributeType, values: [-3, 32767]),
        Change(
            from: .integer32AttributeType, to: .floatAttributeType, values: [-3, 16_777_216], misfit: 16_777_217),
        Change(from: .integer64AttributeType, to: .doubleAttributeType, values: [-7, 9_007_199_254_740_992]),
        Change(from: .doubleAttributeType, to: .integer32AttributeType, values: [-3, 12], misfit: 2.5),
        Change(from: .doubleAttributeType, to: .integer16AttributeType, values: [-3, 12], misfit: 40000),
        Change(from: .doubleAttributeType, to: .integer64AttributeType, values: [-3, 12], misfit: 1e19),
        Change(from: .floatAttributeType, to: .integer64AttributeType, values: [-3, 12], misfit: 0.5),
        Change(from: .floatAttributeType, to: .doubleAttributeType, values: [0.25, -8]),
        Change(from: .doubleAttributeType, to: .floatAttributeType, values: [0.25, -8], misfit: 1e300),
    ]

    /// Every change by the database and by one other way in turn, so that each way meets several; every pair in the long form.
    private static func pairs(_ changes: [Change]) -> [(Change, Way)] {
        let databases = Way.allCases.filter { $0 == .inPlace || $0 == .server }
        let others = Way.allCases.filter { !databases.contains($0) }
        return changes.enumerated().flatMap { index, change in
            LongForm.choose(databases + [others[index % others.count]], long: Way.allCases).map { (change, $0) }
        }
    }

    @Test(.slow, arguments: pairs(changes))
    func valuesThatFitAreKept(_ change: Change, _ way: Way) throws {
        let store = try MigrationStore(type: way.type)
        let old = model(change.from), new = model(change.to, renamed: true)
        try store.open(old) { context in
            for value in change.values {
                context.insert("Part", ["amount": value])
                context.insert("SparePart", ["amount": value])
            }
            context.insert("Part", ["name": "none"])
        }
        try migrate(store, way, old, new) { context in
            let found = try context.fetchAll("Part").compactMap {
                ($0.value(forKey: "total") as? NSNumber)?.doubleValue
            }
            check(found.sorted(), (change.values + change.values).sorted())
            try check(context.fetchAll("Part").count, change.values.count * 2 + 1)
            // Found by the new type as well.
            let request = NSFetchRequest<NSManagedObject>(entityName: "SparePart")
            request.predicate = NSPredicate(format: "total == %@", NSNumber(value: change.values[0]))
            try check(context.fetch(request).count, 1)
        }
    }

    @Test(.slow, arguments: pairs(changes.filter { $0.misfit != nil }))
    func valuesThatDoNotFitAreAnError(_ change: Change, _ way: Way) throws {
        let store = try MigrationStore(type: way.type)
        let old = model(change.from), new = model(change.to, renamed: true)
        let misfit = try #require(change.misfit)
        let object = try store.open(old) { context in
            context.insert("Part", ["amount": change.values[0]])
            let object = context.insert("SparePart", ["amount": misfit])
            try context.save()
            return object.objectID.uriRepresentation()
        }
        let before = try files(store)
        do {
            try migrate(store, way, old, new) { _ in }
            Issue.record("A value that does not fit passed.")
        } catch let error as NSError {
            let text = error.localizedDescription
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSMigrationError)
            #expect(text.contains("total"), "\(text)")
            #expect(text.contains("Part"))
            #expect(text.contains(change.from.words) && text.contains(change.to.words), "\(text)")
            let value = change.from.isFloatingPoint ? "\(misfit)" : "\(Int64(misfit))"
            #expect(text.contains("the value \(value) "), "\(text)")
            #expect(text.contains(object.absoluteString), "\(text)")
            #expect((error.userInfo[NSAffectedObjectsErrorKey] as? [URL]) == [object])
            #expect(error.localizedRecoverySuggestion?.isEmpty == false)
        }
        let after = try files(store)
        #expect(after == before, "\(after.mapValues(\.count)), was \(before.mapValues(\.count))")
        try store.open(old) { try check($0.fetchAll("Part").count, 2) }
    }

    /// The files of a store that hold something. SQLite makes and removes the index of its log, and an empty log, as it
    /// likes.
    private func files(_ store: MigrationStore) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
        let kept = names.filter { !$0.hasSuffix("-shm") }
        let pairs = try kept.map { ($0, try Data(contentsOf: store.folder.file($0))) }.filter { !$1.isEmpty }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static let types = [NSSQLiteStoreType] + (StoreKind.hasServer ? [StoreKind.postgreSQL.type] : [])

    @Test(arguments: types)
    func integersADoubleCannotHold(_ type: String) throws {
        let store = try MigrationStore(type: type)
        try store.open(model(.integer64AttributeType)) { $0.insert("Part", ["amount": Int64.max]) }
        #expect(code { try store.migrate(to: model(.doubleAttributeType)) } == NSMigrationError)
    }

    @Test(arguments: types)
    func doublesAreRoundedToFloats(_ type: String) throws {
        let store = try MigrationStore(type: type)
        try store.open(model(.doubleAttributeType)) { context in
            context.insert("Part", ["amount": 0.1])
            // Rounded to zero, and to the smallest number.
            context.insert("Part", ["amount": 1e-300])
            context.insert("Part", ["amount": 1.4e-45])
        }
        try store.migrate(to: model(.floatAttributeType))
        try store.open(model(.floatAttributeType)) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Part")
            request.predicate = NSPredicate(format: "amount == %@", NSNumber(value: Float(0.1)))
            try check(context.fetch(request).count, 1)
            request.predicate = NSPredicate(format: "amount == 0")
            try check(context.fetch(request).count, 1)
            request.predicate = NSPredicate(format: "amount > 0 AND amount < 0.05")
            try check(context.fetch(request).count, 1)
        }
    }

    @Test func otherChangesAreRefused() {
        let pairs: [(NSAttributeType, NSAttributeType)] = [
            (.integer64AttributeType, .decimalAttributeType), (.decimalAttributeType, .doubleAttributeType),
            (.integer16AttributeType, .booleanAttributeType), (.booleanAttributeType, .doubleAttributeType),
            (.integer16AttributeType, .stringAttributeType), (.dateAttributeType, .doubleAttributeType),
        ]
        for (from, to) in pairs {
            let code = code {
                _ = try NSMappingModel.inferredMappingModel(forSourceModel: model(from), destinationModel: model(to))
            }
            #expect(code == NSInferredMappingModelError, "\(from) to \(to)")
        }
    }

    @Test(arguments: types)
    func aRequiredNumberTakesItsDefault(_ type: String) throws {
        let store = try MigrationStore(type: type)
        try store.open(model(.doubleAttributeType)) { context in
            context.insert("Part", ["amount": 3.0])
            context.insert("Part", [:])
        }
        let new = model(.integer16AttributeType)
        new.entitiesByName["Part"]?.attributesByName["amount"]?.isOptional = false
        new.entitiesByName["Part"]?.attributesByName["amount"]?.defaultValue = 9
        try store.migrate(to: new)
        try store.open(new) { try check($0.texts("Part", "amount"), ["3", "9"]) }
    }

    /// A kept value of a deleted object must neither keep the store from being migrated nor wrap around.
    @Test func valuesKeptInHistory() throws {
        func model(_ type: NSAttributeType) -> NSManagedObjectModel {
            let model = self.model(type)
            model.entitiesByName["Part"]?.attributesByName["amount"]?.preservesValueInHistoryOnDeletion = true
            return model
        }
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let store = try MigrationStore()
        try store.open(model(.doubleAttributeType), options: options) { context in
            let parts = [12.0, 70_000.0].map { context.insert("Part", ["amount": $0]) }
            try context.save()
            for part in parts { context.delete(part) }
        }
        let new = model(.integer16AttributeType)
        try store.migrate(to: new)
        try store.open(new, options: options) { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction] ?? []).flatMap { $0.changes ?? [] }
            let kept = changes.filter { $0.changeType == .delete }.map { $0.tombstone?["amount"] as? Int }
            #expect(kept.count == 2 && Set(kept) == [12, nil])
        }
    }

    // MARK: Composite attributes

    private func composite(
        _ parts: [NSAttributeDescription], optional: Bool = true
    ) -> NSManagedObjectModel {
        let part = LibraryModel.entity("Part")
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.isOptional = optional
        size.elements = parts
        part.properties = [LibraryModel.attribute("name", .stringAttributeType), size]
        let model = NSManagedObjectModel()
        model.entities = [part]
        return model
    }

    private static let ways = Way.allCases.filter { [.inPlace, .byObjects, .server].contains($0) }

    @Test(arguments: ways)
    func elementsOfComposites(_ way: Way) throws {
        let old = composite([
            LibraryModel.attribute("width", .integer64AttributeType),
            LibraryModel.attribute("deep", .booleanAttributeType),
        ])
        let width = LibraryModel.attribute("breadth", .integer16AttributeType)
        width.renamingIdentifier = "width"
        let new = composite([
            width, LibraryModel.attribute("deep", .integer32AttributeType),
            LibraryModel.attribute("unit", .stringAttributeType, default: "mm"),
        ])
        let store = try MigrationStore()
        try store.open(old) { context in
            context.insert("Part", ["name": "a", "size": ["width": 5, "deep": true] as [String: Any]])
            context.insert("Part", ["name": "b"])
        }
        try migrate(store, way, old, new) { context in
            let size = try context.one("Part", "name", "a").value(forKey: "size") as? [String: Any]
            #expect((size?["breadth"] as? NSNumber)?.intValue == 5)
            #expect((size?["deep"] as? NSNumber)?.intValue == 1)
            #expect(size?["unit"] as? String == "mm")
            // A new part is as any new attribute.
            let other = try context.one("Part", "name", "b").value(forKey: "size") as? [String: Any]
            #expect(other?["unit"] as? String == "mm" && other?.count == 1)
        }
        let wide = try MigrationStore()
        try wide.open(old) { $0.insert("Part", ["name": "c", "size": ["width": 70_000]]) }
        do {
            try migrate(wide, way, old, new) { _ in }
            Issue.record("A value that does not fit passed.")
        } catch let error as NSError {
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains("Part.size.breadth"), "\(error.localizedDescription)")
            #expect(error.localizedDescription.contains("70000"))
        }
    }

    @Test(arguments: ways)
    func newCompositesHaveTheirDefaults(_ way: Way) throws {
        let old = NSManagedObjectModel()
        let part = LibraryModel.entity("Part")
        part.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        old.entities = [part]
        let new = composite([
            LibraryModel.attribute("unit", .stringAttributeType, default: "mm"),
            LibraryModel.attribute("width", .integer64AttributeType),
        ])
        let store = try MigrationStore()
        try store.open(old) { $0.insert("Part", ["name": "a"]) }
        try migrate(store, way, old, new) { context in
            let size = try context.one("Part", "name", "a").value(forKey: "size") as? [String: Any]
            #expect(size?["unit"] as? String == "mm" && size?.count == 1)
        }
    }

    // MARK: Defaults

    @Test(arguments: Way.allCases)
    func newAttributesHaveTheirDefaultInOldObjects(_ way: Way) throws {
        let old = model(.integer16AttributeType)
        let new = model(.integer16AttributeType)
        new.entitiesByName["Part"]?.properties += [
            LibraryModel.attribute("state", .stringAttributeType, default: "new"),
            LibraryModel.attribute("weight", .doubleAttributeType, default: 1.5),
            LibraryModel.attribute("since", .dateAttributeType, default: Date(timeIntervalSinceReferenceDate: 10)),
            LibraryModel.attribute("sold", .booleanAttributeType, default: false),
            LibraryModel.attribute("price", .decimalAttributeType, default: NSDecimalNumber(string: "9.75")),
            LibraryModel.attribute("seal", .binaryDataAttributeType, default: Data([1, 2])),
            LibraryModel.attribute("remark", .stringAttributeType),
        ]
        let store = try MigrationStore(type: way.type)
        try store.open(old) { context in
            context.insert("Part", ["name": "a", "amount": 1])
            context.insert("SparePart", ["name": "b"])
        }
        try migrate(store, way, old, new) { context in
            for object in try context.fetchAll("Part") {
                #expect(object.value(forKey: "state") as? String == "new")
                #expect(object.value(forKey: "weight") as? Double == 1.5)
                #expect(object.value(forKey: "since") as? Date == Date(timeIntervalSinceReferenceDate: 10))
                #expect(object.value(forKey: "sold") as? Bool == false)
                #expect(object.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "9.75"))
                #expect(object.value(forKey: "seal") as? Data == Data([1, 2]))
                #expect(object.value(forKey: "remark") == nil)
            }
            // What was there and nil stays nil.
            #expect(try context.one("SparePart", "name", "b").value(forKey: "amount") == nil)
        }
    }

    /// The value of an attribute that was transient was never stored.
    @Test(arguments: types)
    func attributesThatBecomeStoredHaveTheirDefault(_ type: String) throws {
        let old = model(.integer16AttributeType), new = model(.integer16AttributeType)
        old.entitiesByName["Part"]?.properties += [
            LibraryModel.attribute("state", .stringAttributeType, transient: true, default: "old")
        ]
        new.entitiesByName["Part"]?.properties += [
            LibraryModel.attribute("state", .stringAttributeType, default: "new")
        ]
        let store = try MigrationStore(type: type)
        try store.open(old) { $0.insert("Part", ["name": "a"]) }
        try store.migrate(to: new)
        try store.open(new) { try check($0.texts("Part", "state"), ["new"]) }
    }
}

extension NSAttributeType {
    /// The type as Xcode's editor names it.
    fileprivate var words: String { AttributeType(rawValue: UInt32(rawValue))?.words ?? "" }

    fileprivate var isFloatingPoint: Bool { self == .doubleAttributeType || self == .floatAttributeType }
}
