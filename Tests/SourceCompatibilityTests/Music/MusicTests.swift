import CoreData
import Foundation
import Testing

extension SourceCompatibility {
    /// Today's template: a container, a preview in memory, classes from the model, background tasks and batch requests.
    @Suite @MainActor struct MusicTests {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        @Test func previewHoldsItsAlbums() throws {
            let context = PersistenceController.preview.container.viewContext
            let albums = try context.fetch(Album.fetchRequest())
            #expect(albums.count == 10)
            #expect(albums.min()?.name == "Album 0")
            #expect(albums.allSatisfy { $0.albumID != nil && $0.price == 9.99 })
        }

        @Test func libraryAddsFindsAndCounts() async throws {
            let url = directory.appendingPathComponent("Music.sqlite")
            let library = Library(container: PersistenceController(url: url).container)
            let context = library.container.viewContext
            let id = try await library.add(
                " Kind of Blue ", genre: "Jazz", by: "Miles Davis", songs: ["So What", "Blue"])
            _ = try await library.add("Nefertiti", genre: "Jazz", by: "Miles Davis", songs: ["Fall"])

            let album = try context.existingObject(with: id) as! Album
            #expect(album.name == "Kind of Blue")
            #expect(album.songs?.array.compactMap { ($0 as? Song)?.title } == ["So What", "Blue"])
            #expect(album.totalDuration == 660)
            #expect(album.author?.albums?.count == 2)
            #expect(try library.albums(by: "miles davis").map(\.name) == ["Nefertiti", "Kind of Blue"])
            #expect(try library.albumsFromTemplate(by: "MILES DAVIS").count == 2)
            #expect(try library.countByGenre() == ["Jazz": 2])
            let sameGenre = album.value(forKey: "sameGenre") as? [Album]
            #expect(sameGenre?.map(\.name) == ["Nefertiti"])

            #expect(try library.raisePrices(to: 12) == 2)
            #expect(album.price == 12)
            let tag = Tag(context: context)
            tag.name = "quiet"
            album.addToTags(tag)
            try context.save()
            try library.deleteTags()
            #expect(try context.count(for: Tag.fetchRequest()) == 0)
        }

        @Test func validationNamesTheKeys() throws {
            let context = PersistenceController(inMemory: true).container.viewContext
            let author = Author(context: context)
            author.name = "X"
            let album = Album(context: context)
            album.name = nil
            do {
                try context.save()
                Issue.record("Saved what is not valid.")
            } catch let error as NSError {
                #expect(error.code == NSValidationMultipleErrorsError)
                let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
                let keys = details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }
                #expect(Set(keys) == ["name"])
                #expect(
                    Set(details.map(\.code)) == [
                        NSValidationStringTooShortError, NSValidationMissingMandatoryPropertyError,
                    ])
            }
        }
    }
}
