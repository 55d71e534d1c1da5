import MagicalRecord
import MagicalRecordTesting

/// Five neighbors with notes, for contexts that are watched while others write.
enum Neighborhood {
    static func model() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType, default value: Any?) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.defaultValue = value
            return attribute
        }
        func relationship(
            _ name: String, to destination: NSEntityDescription, many: Bool, _ rule: NSDeleteRule
        ) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            relationship.maxCount = many ? 0 : 1
            relationship.deleteRule = rule
            return relationship
        }
        let neighbor = NSEntityDescription(), note = NSEntityDescription()
        neighbor.name = "Neighbor"
        neighbor.managedObjectClassName = NSStringFromClass(Neighbor.self)
        note.name = "NeighborNote"
        note.managedObjectClassName = NSStringFromClass(NeighborNote.self)
        let notes = relationship("notes", to: note, many: true, .cascadeDeleteRule)
        let sender = relationship("sender", to: neighbor, many: false, .nullifyDeleteRule)
        (notes.inverseRelationship, sender.inverseRelationship) = (sender, notes)
        neighbor.properties = [
            attribute("number", .integer64AttributeType, default: 0),
            attribute("balance", .doubleAttributeType, default: 0.0),
            attribute("isFriend", .booleanAttributeType, default: false),
            notes,
        ]
        note.properties = [attribute("length", .integer32AttributeType, default: 0), sender]
        let model = NSManagedObjectModel()
        model.entities = [neighbor, note]
        return model
    }

    static func fill(_ stack: MagicalRecord.Stack) throws {
        try stack.saveAndWait { context in
            for (number, isFriend) in [(1, true), (2, false), (3, true), (4, true), (5, false)] {
                let neighbor = try Neighbor.create(in: context)
                neighbor.number = Int64(number)
                neighbor.isFriend = isFriend
                neighbor.balance = Double(number * 10)
                for place in 0..<number {
                    let note = try NeighborNote.create(in: context)
                    note.length = Int32(place * 10)
                    note.sender = neighbor
                }
            }
        }
    }
}

final class Neighbor: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var number: Int64
    @NSManaged var balance: Double
    @NSManaged var isFriend: Bool
    #endif
}

final class NeighborNote: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var length: Int32
    @NSManaged var sender: Neighbor?
    #endif
}

#if !canImport(ObjectiveC)
// What the model plugin writes for an app's classes.

private let numberProperty = ManagedProperty("number")
private let balanceProperty = ManagedProperty("balance")
private let isFriendProperty = ManagedProperty("isFriend")
private let lengthProperty = ManagedProperty("length")
private let senderProperty = ManagedProperty("sender")

extension Neighbor {
    var number: Int64 {
        get { managedValue(numberProperty) }
        set { setManagedValue(newValue, for: numberProperty) }
    }
    var balance: Double {
        get { managedValue(balanceProperty) }
        set { setManagedValue(newValue, for: balanceProperty) }
    }
    var isFriend: Bool {
        get { managedValue(isFriendProperty) }
        set { setManagedValue(newValue, for: isFriendProperty) }
    }
}

extension NeighborNote {
    var length: Int32 {
        get { managedValue(lengthProperty) }
        set { setManagedValue(newValue, for: lengthProperty) }
    }
    var sender: Neighbor? {
        get { managedValue(senderProperty) }
        set { setManagedValue(newValue, for: senderProperty) }
    }
}
#endif
