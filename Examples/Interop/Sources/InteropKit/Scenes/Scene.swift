/// The expected content of a store as plain values, computed without Core Data.
public struct Scene: Sendable {
    /// An object.
    struct Thing: Sendable {
        var entity: String
        var values: [String: Value]
        var links: [String: [String]] = [:]
    }

    /// The version of the model.
    public internal(set) var schema: Schema
    var things: [String: Thing] = [:]
    var history = SceneHistory()

    /// Creates a scene without objects.
    public init(_ schema: Schema) { self.schema = schema }

    /// Returns the scene after these steps.
    public func after(_ steps: [Step]) -> Scene {
        var scene = self
        for step in steps { scene.apply(step) }
        return scene
    }

    private mutating func apply(_ step: Step) {
        switch step {
        case .insert(let entity, let key, let values):
            insert(entity, key, values)
            history.inserted(key)
        case .upsert(_, let key, let values):
            for (name, value) in values { things[key]?.values[name] = value }
            history.updated(key, Set(values.keys))
        case .set(let key, let attribute, let value):
            things[key]?.values[attribute] = value
            history.updated(key, [attribute])
        case .link(let key, let relationship, let destinations):
            link(key, relationship, destinations)
        case .delete(let key):
            delete(key)
        case .save(let author):
            history.save(by: author)
        }
    }

    private mutating func insert(_ entity: String, _ key: String, _ values: [String: Value]) {
        var all = ["key": Value.text(key)]
        for attribute in schema.attributes(of: entity) where attribute.name != "key" {
            all[attribute.name] = values[attribute.name] ?? attribute.defaultValue
        }
        things[key] = Thing(entity: entity, values: all)
    }

    private mutating func link(_ key: String, _ name: String, _ destinations: [String]) {
        guard let thing = things[key] else { return }
        let link = schema.link(name, of: thing.entity)
        for former in thing.links[name] ?? [] where !destinations.contains(former) {
            things[former]?.links[link.inverse]?.removeAll { $0 == key }
        }
        for destination in destinations { join(key, link, destination) }
        things[key]?.links[name] = destinations
    }

    /// Adds `key` to the inverse relationship of a destination. A to-one inverse is removed from its former object.
    private mutating func join(_ key: String, _ link: LinkShape, _ destination: String) {
        guard let other = things[destination] else { return }
        let inverse = schema.link(link.inverse, of: other.entity)
        var back = other.links[inverse.name] ?? []
        guard !back.contains(key) else { return }
        if !inverse.isToMany {
            for former in back { things[former]?.links[link.name]?.removeAll { $0 == destination } }
            back = []
        }
        things[destination]?.links[inverse.name] = back + [key]
    }

    private mutating func delete(_ key: String) {
        guard let thing = things.removeValue(forKey: key) else { return }
        history.deleted(key)
        for link in schema.links(of: thing.entity) {
            for destination in thing.links[link.name] ?? [] {
                things[destination]?.links[link.inverse]?.removeAll { $0 == key }
                if link.cascades { delete(destination) }
            }
        }
    }
}
