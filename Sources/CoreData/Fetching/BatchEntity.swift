import Foundation

/// The entity a batch request is for: known, or only by name until the request is executed.
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
