import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Every rule a model can hold, the rules classes add, and how failures are reported: Apple's codes and keys.
@Suite("Validation")
struct ValidationTests {
    /// One entity with a rule of each kind, read from the form Xcode writes, where rules carry their codes.
    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Form" representedClassName="NSManagedObject">
                <attribute name="required" attributeType="String" defaultValueString="here"/>
                <attribute name="small" optional="YES" attributeType="Integer 32" minValueString="3" maxValueString="9" usesScalarValueType="NO"/>
                <attribute name="short" optional="YES" attributeType="String" minValueString="2" maxValueString="4"/>
                <attribute name="code" optional="YES" attributeType="String" regularExpressionString="[A-Z]+"/>
                <attribute name="day" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="1000" usesScalarValueType="NO"/>
                <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" inverseName="forms" inverseEntity="Owner"/>
                <relationship name="lines" optional="YES" toMany="YES" minCount="2" maxCount="3" deletionRule="Nullify" destinationEntity="Line" inverseName="form" inverseEntity="Line"/>
                <relationship name="stamps" toMany="YES" deletionRule="Deny" destinationEntity="Stamp" inverseName="form" inverseEntity="Stamp"/>
            </entity>
            <entity name="Owner" representedClassName="NSManagedObject">
                <relationship name="forms" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Form" inverseName="owner" inverseEntity="Form"/>
            </entity>
            <entity name="Line" representedClassName="NSManagedObject">
                <relationship name="form" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Form" inverseName="lines" inverseEntity="Form"/>
            </entity>
            <entity name="Stamp" representedClassName="NSManagedObject">
                <relationship name="form" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Form" inverseName="stamps" inverseEntity="Form"/>
            </entity>
        </model>
        """

    let library: Library
    var context: NSManagedObjectContext { library.context }

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString)")
        let package = folder.appendingPathComponent("Rules.xcdatamodel")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.text.utf8).write(to: package.appendingPathComponent("contents"))
        library = try Library(try #require(NSManagedObjectModel(contentsOf: package)))
    }

    private func makeForm() -> NSManagedObject {
        context.insert(
            "Form", ["owner": context.insert("Owner"), "stamps": Set([context.insert("Stamp")])])
    }

    /// The single error a save fails with.
    private func failure() -> NSError? {
        do {
            try context.save()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test(arguments: [
        ("required", nil, NSValidationMissingMandatoryPropertyError),
        ("owner", nil, NSValidationMissingMandatoryPropertyError),
        ("small", 2 as (any Sendable)?, NSValidationNumberTooSmallError),
        ("small", 10, NSValidationNumberTooLargeError),
        ("short", "a", NSValidationStringTooShortError), ("short", "abcde", NSValidationStringTooLongError),
        ("code", "abc", NSValidationStringPatternMatchingError),
        ("day", Date(timeIntervalSinceReferenceDate: -1), NSValidationDateTooSoonError),
        ("day", Date(timeIntervalSinceReferenceDate: 1001), NSValidationDateTooLateError),
    ])
    func rulesOfValues(_ key: String, _ value: (any Sendable)?, _ code: Int) throws {
        try context.performAndWait {
            let form = makeForm()
            form.setValue(value, forKey: key)
            let error = try #require(failure())
            #expect(error.domain == NSCocoaErrorDomain && error.code == code)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === form)
            #expect((error.userInfo[NSValidationValueErrorKey] == nil) == (value == nil))
            #expect((error.userInfo[NSValidationPredicateErrorKey] is NSPredicate) == (value != nil))
            #expect(!error.localizedDescription.isEmpty)
            let cocoa = CocoaError(_nsError: error)
            #expect(cocoa.validationKey == key && cocoa.validationObject as? NSManagedObject === form)
            // Nothing was written, and everything is as it was.
            #expect(context.hasChanges && form.isInserted && form.objectID.isTemporaryID)
        }
    }

    /// Apple's sentence, then the property, the object, the value and the limit. Long texts are shortened to 60 characters.
    @Test(arguments: [
        ("small", 2 as any Sendable, "small is too small.", "is 2, less than 3."),
        ("small", 10, "small is too large.", "is 10, more than 9."),
        ("short", "a", "short is too short.", "is \"a\", shorter than 2 characters."),
        (
            "short", String(repeating: "x", count: 99), "short is too long.",
            "is \"\(String(repeating: "x", count: 60))…\", longer than 4 characters."
        ),
        ("code", "a\nb", "code does not have the required form.", "is \"a\\nb\", not of the form \"[A-Z]+\"."),
        (
            "day", Date(timeIntervalSinceReferenceDate: -1), "day is too soon.",
            "is 2000-12-31 23:59:59 +0000, earlier than 2001-01-01 00:00:00 +0000."
        ),
    ])
    func descriptionsNameValueAndLimit(
        _ key: String, _ value: any Sendable, _ beginning: String, _ end: String
    ) throws {
        try context.performAndWait {
            let form = makeForm()
            form.setValue(value, forKey: key)
            let text = try #require(failure()).localizedDescription
            #expect(text == "\(beginning) Form.\(key) of \(form.objectID.uriRepresentation().absoluteString) \(end)")
        }
    }

    @Test func descriptionsNameTheNumberOfObjects() throws {
        try context.performAndWait {
            let form = makeForm()
            form.setValue(Set([context.insert("Line")]), forKey: "lines")
            let text = try #require(failure()).localizedDescription
            #expect(text.hasPrefix("lines has too few items. Form.lines of "))
            #expect(text.hasSuffix(" has 1 of at least 2 objects."))
        }
    }

    @Test func valuesWithinTheRulesPass() {
        context.performAndWait {
            let form = makeForm()
            form.setValuesForKeys([
                "small": 3, "short": "ab", "code": "AB", "day": Date(timeIntervalSinceReferenceDate: 1000),
            ])
            #expect(failure() == nil)
            form.setValuesForKeys(["small": 9, "short": "abcd", "day": Date(timeIntervalSinceReferenceDate: 0)])
            #expect(failure() == nil)
            form.setValuesForKeys(["small": NSNull(), "short": NSNull(), "code": NSNull(), "day": NSNull()])
            #expect(failure() == nil)
        }
    }

    @Test func countsOfRelationships() throws {
        try context.performAndWait {
            let form = makeForm()
            let lines = (0..<4).map { _ in context.insert("Line") }
            // An optional relationship may be empty, whatever its minimum.
            #expect(failure() == nil)
            form.setValue(Set(lines.prefix(1)), forKey: "lines")
            #expect(failure()?.code == NSValidationRelationshipLacksMinimumCountError)
            form.setValue(Set(lines), forKey: "lines")
            let error = try #require(failure())
            #expect(error.code == NSValidationRelationshipExceedsMaximumCountError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "lines")
            form.setValue(Set(lines.prefix(2)), forKey: "lines")
            #expect(failure() == nil)
            form.setValue(Set<NSManagedObject>(), forKey: "stamps")
            // Required, but without a minimum.
            #expect(failure() == nil)
        }
    }

    @Test func deletesAreDeniedWhileSomethingRemains() throws {
        try context.performAndWait {
            let form = makeForm()
            let owner = try #require(form.value(forKey: "owner") as? NSManagedObject)
            try context.save()
            context.delete(owner)
            let error = try #require(failure())
            #expect(error.code == NSValidationRelationshipDeniedDeleteError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "forms")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === owner)
            // With everything it leads to deleted as well, nothing stands in the way.
            for stamp in form.value(forKey: "stamps") as? Set<NSManagedObject> ?? [] { context.delete(stamp) }
            context.delete(form)
            #expect(failure() == nil)
        }
    }

    @Test func severalFailuresComeTogether() throws {
        try context.performAndWait {
            let one = makeForm(), other = makeForm()
            one.setValue(1, forKey: "small")
            one.setValue("x", forKey: "short")
            other.setValue(nil, forKey: "required")
            let error = try #require(failure())
            #expect(error.code == NSValidationMultipleErrorsError)
            let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(
                details.map(\.code).sorted() == [
                    NSValidationMissingMandatoryPropertyError, NSValidationNumberTooSmallError,
                    NSValidationStringTooShortError,
                ])
            #expect(details.allSatisfy { $0.userInfo[NSValidationObjectErrorKey] is NSManagedObject })
        }
    }

    @Test func predicatesOfTheProgramsOwnReportTheirMessage() throws {
        let model = LibraryModel.make()
        let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
        title.setValidationPredicates(
            [NSPredicate(format: "SELF BEGINSWITH 'The'")], withValidationWarnings: ["Titles begin with The."])
        let library = try Library(model)
        try library.context.performAndWait {
            let book = library.context.insert("Book", ["title": "Emma"])
            let error = try #require(throws: NSError.self) { try library.context.save() }
            #expect(error.code == NSManagedObjectValidationError)
            #expect(error.localizedDescription.contains("Titles begin with The."))
            #expect(throws: NSError.self) { try book.validateForUpdate() }
            book.setValue("The Rest", forKey: "title")
            try library.context.save()
        }
    }

    // MARK: Rules of classes

    @Test func classesAddRulesToInsertsUpdatesAndDeletes() throws {
        let zoo = try Zoo()
        try zoo.context.performAndWait {
            struct Refused: Error {}
            let cat = try zoo.saved()
            zoo.journal.onValidation = { _ in throw Refused() }
            zoo.context.insert("Creature", ["name": "dog"])
            #expect(throws: Refused.self) { try zoo.context.save() }
            #expect(zoo.journal.take().contains("validateForInsert"))
            zoo.context.rollback()
            cat.setValue("tom", forKey: "name")
            #expect(throws: Refused.self) { try zoo.context.save() }
            #expect(zoo.journal.take().contains("validateForUpdate"))
            zoo.context.rollback()
            zoo.context.delete(cat)
            #expect(throws: Refused.self) { try zoo.context.save() }
            #expect(zoo.journal.take().contains("validateForDelete"))
            #expect(cat.isDeleted && zoo.context.deletedObjects == [cat])
            zoo.context.insert("Creature")
            let error = try #require(throws: NSError.self) { try zoo.context.save() }
            #expect(error.code == NSValidationMultipleErrorsError)
            zoo.journal.onValidation = nil
            try zoo.context.save()
        }
    }

    @Test func validationMayReplaceValues() throws {
        let zoo = try Zoo()
        try zoo.context.performAndWait {
            let cat = zoo.context.insert("Creature", ["name": "  cat "])
            try zoo.context.save()
            #expect(cat.value(forKey: "name") as? String == "cat" && !zoo.context.hasChanges)
            var value: Any? = " tom "
            try cat.validateValue(&value, forKey: "name")
            #expect(value as? String == "tom" && cat.value(forKey: "name") as? String == "cat")
        }
    }

    @Test func validatedCompositesAreNotChanged() throws {
        let model = CreatureModel.make()
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [LibraryModel.attribute("street", .stringAttributeType)]
        model.entitiesByName["Creature"]?.properties.append(place)
        let library = try Library(model, store: .sqlite)
        try library.context.performAndWait {
            // Its class overrides `validateValue(_:forKey:)`, which is called with a new dictionary each time.
            let cat = library.context.insert("Creature", ["name": " cat ", "place": ["street": "Alley"]])
            try library.context.save()
            #expect(cat.value(forKey: "place") as? [String: String] == ["street": "Alley"])
            #expect(cat.value(forKey: "name") as? String == "cat" && !library.context.hasChanges)
        }
    }
}

/// Values that are none: the store could not give them back.
@Suite("Invalid values")
struct InvalidValueTests {
    /// - Parameter path: the key that the error names, if not that of the value.
    private func code(_ key: String, _ value: Any, at path: String? = nil, in library: Library) throws -> Int? {
        let context = library.context
        let book = context.insert("Book", [key: value])
        defer { context.rollback() }
        do {
            try context.save()
            return nil
        } catch let error as NSError {
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === book)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == path ?? key)
            // What is printed of it does not stop the program.
            #expect("\(error) \(book)".contains(key))
            return error.code
        }
    }

    @Test(arguments: StoreKind.allCases) func datesAndURIs(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let none = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(try code("published", none, in: library) == NSValidationInvalidDateError)
        #expect(try code("published", Date.distantFuture, in: library) == nil)
        let empty = try #require(URLComponents().url)
        #expect(try code("site", empty, in: library) == NSValidationInvalidURIError)
        #expect(try code("site", URL(string: "x")!, in: library) == nil)
        // Updates are checked as well.
        let book = try #require(try library.context.fetchAll("Book").first)
        book.setValue(none, forKey: "published")
        let error = try #require(throws: NSError.self) { try library.context.save() }
        #expect(error.code == NSValidationInvalidDateError)
    }

    @Test func partsOfCompositeValues() throws {
        let model = LibraryModel.make()
        let span = NSCompositeAttributeDescription()
        span.name = "span"
        span.elements = [LibraryModel.attribute("from", .dateAttributeType)]
        model.entitiesByName["Book"]?.properties.append(span)
        let library = try Library(model, store: .sqlite)
        let none: [String: Any] = ["from": Date(timeIntervalSinceReferenceDate: .nan)]
        #expect(try code("span", none, at: "span.from", in: library) == NSValidationInvalidDateError)
        #expect(try code("span", ["from": Date()], in: library) == nil)
    }
}
