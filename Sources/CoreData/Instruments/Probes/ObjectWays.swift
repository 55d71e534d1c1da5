import CoreDataRowStorage

/// The fetches and relationships through which the program reached the objects of a context, recorded while a listener needs
/// them. Used on the context's queue.
///
/// An object without an entry was fetched as an object of its entity, or was already in memory.
final class ObjectWays {
    private struct Key: Hashable {
        let table: UnsafeMutableRawPointer
        let key: Int64

        init?(_ object: NSManagedObject) {
            guard let table = object._tableReference else { return nil }
            self.table = table.toOpaque()
            key = object._key
        }
    }

    private var ways: [Key: ObjectWay] = [:]
    /// The step taken last, which is often the next one too.
    private var latest: (from: ObjectWay?, way: ObjectWay)?

    /// The limit of entries, for long recordings.
    private static let most = 100_000

    subscript(object: NSManagedObject) -> ObjectWay? { ways.isEmpty ? nil : Key(object).flatMap { ways[$0] } }

    /// Returns the path to the destinations of an object's relationship.
    func following(_ relationship: EntityLayout.Relationship, of object: NSManagedObject) -> ObjectWay {
        let from = self[object]
        let entity = object.layout.name
        if let latest, latest.from === from, let step = latest.way.lastStep, step.relationship == relationship.name,
            step.entity == entity
        {
            return latest.way
        }
        let way = (from ?? ObjectWay(fetching: entity)).following(relationship.step(of: entity))
        latest = (from, way)
        return way
    }

    func note(_ way: ObjectWay, to object: NSManagedObject) {
        guard let key = Key(object) else { return }
        if ways.count >= Self.most { ways = [:] }
        ways[key] = way
    }

    /// Records that objects were fetched.
    func noteFetched(_ objects: [NSManagedObject], as entity: String) {
        var layout: EntityLayout?
        var isOfEntity = true
        var way: ObjectWay?
        for object in objects {
            if object.layout !== layout {
                layout = object.layout
                isOfEntity = object.layout.name == entity
            }
            if !isOfEntity {
                let fetched = way ?? ObjectWay(fetching: entity)
                way = fetched
                note(fetched, to: object)
            } else if !ways.isEmpty, let key = Key(object) {
                ways[key] = nil
            }
        }
    }
}

extension EntityLayout.Relationship {
    func step(of entity: String) -> ObjectWay.Step {
        ObjectWay.Step(entity: entity, relationship: name, isToMany: isToMany)
    }
}

extension NSManagedObjectContext {
    /// The paths to objects, created on first access.
    final var notedWays: ObjectWays {
        if let ways { return ways }
        let made = ObjectWays()
        ways = made
        return made
    }
}
