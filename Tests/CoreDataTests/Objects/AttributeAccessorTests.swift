import CoreDataRuntimeSupport
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Typed access to attributes by name: for which classes and attributes it is taken, and that it does what key-value coding does.
@Suite struct AttributeAccessorTests {
    private let library: Library
    private let book: NSEntityDescription

    init() throws {
        library = try Library(LibraryModel.make(), store: .memory)
        book = try #require(library.coordinator.managedObjectModel.entitiesByName["Book"])
    }

    private func accessor(_ name: String) throws -> AttributeAccessor {
        let attribute = try #require(book.attributesByName[name])
        return try #require(AttributeAccessor(attribute))
    }

    @Test func classesThatOverrideNothingAreSuited() {
        // Without shortcuts it cannot be told what a class overrides.
        let isSuited = MemoryAssumption.allowsShortcuts
        #expect(AttributeAccessor.suits(NSManagedObject.self))
        #expect(AttributeAccessor.suits(Extended.self) == isSuited)
        let overriding: [NSManagedObject.Type] = [
            Getting.self, Setting.self, WillAccess.self, DidAccess.self, WillChange.self, DidChange.self,
        ]
        for type in overriding {
            #expect(!AttributeAccessor.suits(type), "\(type)")
        }
        #expect(!AttributeAccessor.suits(BelowSetting.self))
    }

    @Test func valuesAreSetAndCompared() throws {
        let (title, pages) = (try accessor("title"), try accessor("pages"))
        try library.context.performAndWait {
            let object = library.context.insert("Book", ["title": "Emma"])
            #expect(title.holds(.text("Emma"), in: object) == true)
            #expect(title.set(.text("Persuasion, by Jane Austen"), of: object) && pages.set(.integer(249), of: object))
            #expect(object.value(forKey: "title") as? String == "Persuasion, by Jane Austen")
            try library.context.save()
            // A fault is read, and its change noticed.
            library.context.refresh(object, mergeChanges: false)
            #expect(pages.holds(.integer(249), in: object) == true)
            #expect(pages.holds(.integer(250), in: object) == false && pages.holds(.absent, in: object) == false)
            #expect(title.set(.absent, of: object))
            #expect(title.holds(.absent, in: object) == true && object.hasChanges)
            #expect(Array(object.changedValues().keys) == ["title"])
        }
    }

    @Test func otherKindsAreLeftToKeyValueCoding() throws {
        let pages = try accessor("pages")
        library.context.performAndWait {
            let object = library.context.insert("Book", ["title": "Emma", "pages": 1])
            #expect(pages.holds(.text("1"), in: object) == nil && !pages.set(.text("2"), of: object))
            #expect(pages.holds(.real(1), in: object) == nil && !pages.set(.real(2), of: object))
            #expect(object.value(forKey: "pages") as? Int == 1)
        }
        let (decimal, transient) = (NSAttributeDescription(), NSAttributeDescription())
        decimal.attributeType = .decimalAttributeType
        transient.attributeType = .stringAttributeType
        transient.isTransient = true
        #expect(AttributeAccessor(decimal) == nil && AttributeAccessor(transient) == nil)
    }
}

private class Extended: NSManagedObject, @unchecked Sendable {
    func greet() -> String { "hello" }
    override func awakeFromFetch() {}
}

private final class Getting: NSManagedObject, @unchecked Sendable {
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
}

private class Setting: NSManagedObject, @unchecked Sendable {
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
}

private final class BelowSetting: Setting, @unchecked Sendable {}

private final class WillAccess: NSManagedObject, @unchecked Sendable {
    override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
}

private final class DidAccess: NSManagedObject, @unchecked Sendable {
    override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
}

private final class WillChange: NSManagedObject, @unchecked Sendable {
    override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
}

private final class DidChange: NSManagedObject, @unchecked Sendable {
    override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
}
