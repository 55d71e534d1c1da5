import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Swift key paths of properties whose values cannot be made up: they have names, and no value is read to find them.
@Suite("Names of key paths")
struct KeyPathNameTests {
    @Test func rawValuesAndTransformables() throws {
        #expect(NSExpression(forKeyPath: \Consignment.kind).keyPath == "kind")
        #expect(NSExpression(forKeyPath: \Consignment.possibleKind).keyPath == "possibleKind")
        #expect(NSExpression(forKeyPath: \Consignment.labels).keyPath == "labels")
        #expect(NSExpression(forKeyPath: \Consignment.size).keyPath == "size")
        #expect(NSExpression(forKeyPath: \Consignment.inner?.size).keyPath == "inner.size")
        #expect(NSExpression(forKeyPath: \Consignment.inner?.kind).keyPath == "inner.kind")
        #expect(NSExpression(forKeyPath: \Consignment.marker).keyPath == "marker")
        #expect(NSSortDescriptor(keyPath: \Consignment.kind, ascending: true).key == "kind")
        #expect(NSExpression(forKeyPath: \Consignment.weight).keyPath == "weight")
    }

    /// As published code asks: through the name that the standard library has for it.
    @Test func namesByTheStandardLibrarysName() throws {
        #expect((\Consignment.weight)._kvcKeyPathString == "weight")
        #expect((\Consignment.inner?.size as AnyKeyPath)._kvcKeyPathString == "inner.size")
        #expect((\Consignment.doubled)._kvcKeyPathString == nil)
        let key: String = try #require((\Consignment.kind)._kvcKeyPathString)
        #expect(NSSortDescriptor(key: key, ascending: false).key == "kind")
    }

    @Test func computedPropertiesHaveNoNames() {
        #expect(NSManagedObject._propertyName(of: \Consignment.title) == nil)
        #expect(NSManagedObject._propertyName(of: \Consignment.area) == nil)
        #expect(NSManagedObject._propertyName(of: \Consignment.doubled) == nil)
    }

    @Test func severalThreadsAskAtOnce() async {
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    NSManagedObject._propertyName(of: number % 2 == 0 ? \Consignment.size : \Consignment.inner?.weight)
                }
            }
            for await name in group { #expect(name == "size" || name == "inner.weight") }
        }
    }

    @Test func valuesArePassedOn() throws {
        let parcel = LibraryModel.entity("Consignment")
        parcel.managedObjectClassName = "CoreDataTests.Consignment"
        parcel.properties = [
            LibraryModel.attribute("kind", .integer16AttributeType, optional: false, default: 5),
            LibraryModel.attribute("possibleKind", .integer16AttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [parcel]
        let library = try Library(model)
        let object = Consignment(context: library.context)
        #expect(object.kind == .letter && object.possibleKind == nil)
        object.kind = .box
        object.possibleKind = .letter
        #expect(object.value(forKey: "kind") as? Int == 9 && object.possibleKind == .letter)
        object.possibleKind = nil
        #expect(object.value(forKey: "possibleKind") == nil)
    }
}

/// A type no placeholder can be made for.
struct ParcelSize: Codable, Equatable {
    var width: Int
    var height: Int
}

final class ParcelMarker: NSObject, @unchecked Sendable {
    let text: String
    init(text: String) { self.text = text }
}

/// Has the bodies that generated accessors have.
final class Consignment: NSManagedObject, @unchecked Sendable {
    enum Kind: Int16 {
        case letter = 5
        case box = 9
    }

    private static let kindProperty = ManagedProperty("kind")
    private static let possibleKindProperty = ManagedProperty("possibleKind")
    private static let labelsProperty = ManagedProperty("labels")
    private static let sizeProperty = ManagedProperty("size")
    private static let innerProperty = ManagedProperty("inner")
    private static let markerProperty = ManagedProperty("marker")
    private static let weightProperty = ManagedProperty("weight")

    var kind: Kind {
        get { managedRawValue(Self.kindProperty) }
        set { setManagedRawValue(newValue, for: Self.kindProperty) }
    }
    var possibleKind: Kind? {
        get { managedRawValue(Self.possibleKindProperty) }
        set { setManagedRawValue(newValue, for: Self.possibleKindProperty) }
    }
    var labels: [String] {
        get { managedTransformable(Self.labelsProperty) }
        set { setManagedTransformable(newValue, for: Self.labelsProperty) }
    }
    var size: ParcelSize {
        get { managedTransformable(Self.sizeProperty) }
        set { setManagedTransformable(newValue, for: Self.sizeProperty) }
    }
    var inner: Consignment? {
        get { managedValue(Self.innerProperty) }
        set { setManagedValue(newValue, for: Self.innerProperty) }
    }
    var marker: ParcelMarker {
        get { managedValue(Self.markerProperty) }
        set { setManagedValue(newValue, for: Self.markerProperty) }
    }
    var weight: Int64 {
        get { managedValue(Self.weightProperty) }
        set { setManagedValue(newValue, for: Self.weightProperty) }
    }
    var title: String { kind == .box ? "Box" : "Letter" }
    var area: Int { size.width * size.height }
    var doubled: Int64 { weight * 2 }
}
