// Whether rows are gone can be seen from inside alone.
@testable import CoreData

/// What must be gone when a world is: its coordinator and contexts, every object, and the memory of every row.
struct WeakThings {
    private final class Reference {
        weak var object: AnyObject?
        let name: String
        init(_ object: AnyObject, _ name: String) {
            self.object = object
            self.name = name
        }
    }

    private var references: [ObjectIdentifier: Reference] = [:]

    mutating func watch(_ world: GraphWorld) {
        watch(world.library.coordinator, "coordinator")
        for site in world.sites { site.context.performAndWait { watch(site) } }
    }

    private mutating func watch(_ site: GraphSite) {
        watch(site.context, "context \(site.name)")
        for object in site.context.registeredObjects {
            watch(object, "object \(object.objectID) of \(site.name)")
            for slab in [object._slab, object._extra?.committed?.slab, object._extra?.eventStart?.slab] {
                guard let slab else { continue }
                watch(slab, "rows of \(site.name)")
            }
        }
    }

    private mutating func watch(_ object: AnyObject, _ name: @autoclosure () -> String) {
        // Another object may have been at the same address.
        let key = ObjectIdentifier(object)
        if references[key]?.object !== object { references[key] = Reference(object, name()) }
    }

    var leaks: [String] { references.values.filter { $0.object != nil }.map(\.name).sorted() }
}
