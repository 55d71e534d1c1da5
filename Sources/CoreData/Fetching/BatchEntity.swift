import Foundation

/// The entity of a batch request: known, or known only by name until the request is executed.
struct BatchEntity {
    var name: String
    var entity: NSEntityDescription?

    init(name: String) {
        self.name = name
    }

    init(_ entity: NSEntityDescription) {
        name = entity.name ?? ""
        self.entity = entity
    }
}
