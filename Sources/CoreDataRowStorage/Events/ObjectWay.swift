/// The path by which the program reached an object: a fetch, and the relationships followed from there.
package final class ObjectWay: Sendable {
    /// One relationship on the path.
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

    /// The maximum length. Iterating over a chain of objects has no length that a fetch could prefetch.
    private static let longest = 16

    private init(entity: String, path: String, lastStep: Step?, length: Int) {
        (self.entity, self.path, self.lastStep, self.length) = (entity, path, lastStep, length)
    }

    /// Creates the path to the objects of a fetch.
    package convenience init(fetching entity: String) {
        self.init(entity: entity, path: "", lastStep: nil, length: 0)
    }

    /// Returns the path extended by one relationship.
    package func following(_ step: Step) -> ObjectWay {
        if isTooLong { return self }
        let path = path.isEmpty ? step.relationship : path + "." + step.relationship
        return ObjectWay(entity: entity, path: path, lastStep: step, length: length + 1)
    }

    /// Whether the path exceeds the maximum length.
    package var isTooLong: Bool { length > Self.longest }
}
