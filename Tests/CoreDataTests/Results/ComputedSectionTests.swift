import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// As Apple's sample DateSectionTitles has it: the getter of a transient attribute is written in the class.
class ComputedDay: NSManagedObject, ComputedKeys {
    class var computedKeys: [String: AnyKeyPath] { ["month": \ComputedDay.month, "isEven": \ComputedDay.isEven] }

    var month: String? {
        willAccessValue(forKey: "month")
        defer { didAccessValue(forKey: "month") }
        if let known = primitiveValue(forKey: "month") as? String { return known }
        guard let number = value(forKey: "number") as? Int, number >= 0 else { return nil }
        setPrimitiveValue("month \(number / 10)", forKey: "month")
        return "month \(number / 10)"
    }
    var isEven: Bool { (value(forKey: "number") as? Int ?? 0) % 2 == 0 }
}

final class ComputedHoliday: ComputedDay {
    var title: String { "holiday" }

    override class var computedKeys: [String: AnyKeyPath] {
        super.computedKeys.merging(["title": \ComputedHoliday.title]) { $1 }
    }
}

/// The same without a word about the getter.
final class SilentDay: NSManagedObject {
    var month: String? { "month" }
}

/// The same by key-value coding alone.
final class AnsweringDay: NSManagedObject {
    override func value(forKey key: String) -> Any? { key == "month" ? nil : super.value(forKey: key) }
}

@Suite("Section names that classes compute")
struct ComputedSectionTests {
    private func library(_ type: NSManagedObject.Type, store: StoreKind = .sqlite) throws -> Library {
        let day = LibraryModel.entity("Day")
        day.managedObjectClassName = NSStringFromClass(type)
        day.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("month", .stringAttributeType, transient: true),
        ]
        let model = NSManagedObjectModel()
        model.entities = [day]
        let library = try Library(model, store: store)
        try library.context.performAndWait {
            for number in [1, 2, 11, 35] { library.context.insert("Day", ["number": number]) }
            try library.context.save()
            library.context.reset()
        }
        return library
    }

    private func controller(_ library: Library, by key: String) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Day")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: key, cacheName: nil)
    }

    /// A controller without a delegate does not follow changes.
    private final class Watcher: NSObject, NSFetchedResultsControllerDelegate {}

    @Test(arguments: [ComputedDay.self, ComputedHoliday.self])
    func getterNamesTheSections(_ type: NSManagedObject.Type) throws {
        let library = try library(type)
        try library.context.performAndWait {
            let (controller, watcher) = (controller(library, by: "month"), Watcher())
            controller.delegate = watcher
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["month 0", "month 1", "month 3"])
            library.context.insert("Day", ["number": 27])
            library.context.processPendingChanges()
            #expect(controller.sections?.map(\.name) == ["month 0", "month 1", "month 2", "month 3"])
            withExtendedLifetime(watcher) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keyValueCodingAndPredicatesAskTheGetter(_ store: StoreKind) throws {
        let library = try library(ComputedHoliday.self, store: store)
        try library.context.performAndWait {
            let days = try library.context.fetchAll("Day")
            let last = try #require(days.first { $0.value(forKey: "number") as? Int == 35 })
            #expect(last.value(forKey: "month") as? String == "month 3")
            #expect(last.value(forKey: "isEven") as? Bool == false)
            #expect(last.value(forKeyPath: "title.length") as? Int == 7)
            #expect(NSPredicate(format: "month == 'month 3' AND isEven == FALSE").evaluate(with: last))
            #expect(days.filter(NSPredicate(format: "month == 'month 0'").evaluate(with:)).count == 2)
            let order = NSSortDescriptor(key: "month", ascending: false)
            #expect((days as NSArray).sortedArray(using: [order]).first as? NSManagedObject === last)
            let strange = library.context.insert("Day", ["number": -1])
            #expect(strange.value(forKey: "month") == nil)
            #expect(NSPredicate(format: "month == nil").evaluate(with: strange))
        }
    }

    @Test func performFetchSaysWhatToDo() throws {
        let library = try library(SilentDay.self)
        try library.context.performAndWait {
            let controller = controller(library, by: "month")
            // Whether the class overrides value(forKey:) is read from its method table, and not known without.
            guard ProcessInfo.processInfo.environment["COREDATA_PLAIN"] != "1" else {
                try controller.performFetch()
                #expect(controller.sections?.map(\.name) == [""])
                return
            }
            let error = try #require(throws: NSError.self) { try controller.performFetch() }
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError)
            #expect(error.userInfo["entity"] as? String == "Day" && error.userInfo["property"] as? String == "month")
            #expect(error.localizedFailureReason?.contains("transient attribute") == true)
            #expect(error.localizedRecoverySuggestion?.contains(#"["month": \SilentDay.month]"#) == true)
            // A value that was set is one.
            let days = try library.context.fetchAll("Day")
            for day in days { day.setPrimitiveValue("set", forKey: "month") }
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["set"])
            #expect(days.count == 4)
        }
    }

    /// One section without a name, as at Apple, where there is no getter that could be meant.
    @Test(arguments: [NSManagedObject.self, AnsweringDay.self])
    func oneSectionWhereNothingIsComputed(_ type: NSManagedObject.Type) throws {
        let library = try library(type)
        try library.context.performAndWait {
            let controller = controller(library, by: "month")
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == [""])
        }
    }
}
