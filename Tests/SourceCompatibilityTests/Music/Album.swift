import CoreData
import Foundation

public class Album: NSManagedObject {
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        albumID = UUID()
    }

    override public func willSave() {
        super.willSave()
        let trimmed = name?.trimmingCharacters(in: .whitespaces)
        if trimmed != name {
            name = trimmed
        }
    }

    override public func prepareForDeletion() {
        super.prepareForDeletion()
        author = nil
    }

    var totalDuration: Double {
        return songs?.compactMap { ($0 as? Song)?.duration }.reduce(0, +) ?? 0
    }
}

extension Album: Comparable {
    public static func < (lhs: Album, rhs: Album) -> Bool {
        return (lhs.name ?? "") < (rhs.name ?? "")
    }
}
