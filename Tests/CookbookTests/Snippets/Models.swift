// snippet
import MagicalRecord

final class Album: NSManagedObject {
    @NSManaged var barcode: String
    @NSManaged var title: String
    @NSManaged var released: Date?
    @NSManaged var sleeve: Data?
    @NSManaged var sortTitle: String?
    @NSManaged var songs: NSOrderedSet
}

final class Song: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var seconds: Int32
    @NSManaged var album: Album?
}
// end

// snippet
extension Album {
    static func model(_ album: MagicalRecord.EntityDeclaration<Album>) {
        album.unique(\.barcode)
        album.index(\.title, \.released, descending: [\.released])
        album.attribute(\.barcode, minimumLength: 12, maximumLength: 13, userInfo: ["mappedKeyName": "ean"])
        album.attribute(\.released, minimum: "1948-06-21T00:00:00Z")
        album.attribute(\.sleeve, isStoredExternally: true)
        album.attribute(\.sortTitle, derivation: "canonical:(title)")
        album.relationship(\.songs, to: Song.self, deleteRule: .cascadeDeleteRule)
    }
}
// end
