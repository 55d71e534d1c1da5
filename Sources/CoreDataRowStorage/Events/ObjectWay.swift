/// The way by which the program came to an object: a fetch, and the relationships it followed from there.
package final class ObjectWay: Sendable {
    /// One relationship that was followed.
    package struct Step: Sendable {
        package let entity: String
        package let relationship: String
        package let isToMany: Bool

        package init(entity: String, relationship: String, isToMany: Bool) {
            (self.entity, self.relationship, self.isToMany) = (entity, relationship, isToMany)
        }
    }

    /// The entity of the fetch.
    package let entity: String
    /// The relationships, joined by dots; empty for objects of the fetch itself.
    package let path: String
    /// The last of the relationships.
    package let lastStep: Step?
    private let length: Int

    /// Walks along the objects of one chain have no end that a fetch could name.
    private static let longest = 16

    private init(entity: String, path: String, lastStep: Step?, length: Int) {
        (self.entity, self.path, self.lastStep, self.length) = (entity, path, lastStep, length)
    }

    /// Of the objects of a fetch.
    package convenience init(fetching entity: String) {
        self.init(entity: entity, path: "", lastStep: nil, length: 0)
    }

    /// One relationship further.
    package func following(_ step: Step) -> ObjectWay {
        if isTooLong { return self }
        let path = path.isEmpty ? step.relationship : path + "." + step.relationship
        return ObjectWay(entity: entity, path: path, lastStep: step, length: length + 1)
    }

    /// Whether it has more steps than are told apart.
    package var isTooLong: Bool { length > Self.longest }
}
