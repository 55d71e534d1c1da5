extension Scene {
    /// Returns the expected result of a lightweight migration: renamed properties keep their values, new attributes have their
    /// default values, and removed properties and entities are dropped.
    public func upgraded(to next: Schema) -> Scene {
        var scene = Scene(next)
        for (key, thing) in things {
            guard let entity = next.entities.first(where: { ($0.formerName ?? $0.name) == thing.entity }) else {
                continue
            }
            let former = Set(schema.attributes(of: thing.entity).map(\.name))
            var upgraded = Thing(entity: entity.name, values: [:])
            for attribute in next.attributes(of: entity.name) {
                let name = attribute.formerName ?? attribute.name
                upgraded.values[attribute.name] = former.contains(name) ? thing.values[name] : attribute.defaultValue
            }
            for link in next.links(of: entity.name) {
                upgraded.links[link.name] = thing.links[link.formerName ?? link.name]
            }
            scene.things[key] = upgraded
        }
        let left = scene.things
        for (key, thing) in left {
            for (name, destinations) in thing.links {
                scene.things[key]?.links[name] = destinations.filter { left[$0] != nil }
            }
        }
        return scene
    }
}
