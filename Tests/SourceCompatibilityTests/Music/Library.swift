import CoreData
import Foundation

/// The queries of an application over its container.
final class Library {
    let container: NSPersistentContainer

    init(container: NSPersistentContainer) {
        self.container = container
    }

    func albums(by author: String) throws -> [Album] {
        let request: NSFetchRequest<Album> = Album.fetchRequest()
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "%K ==[c] %@", "author.name", author),
            NSPredicate(format: "songs.@count > %d", 0),
        ])
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Album.released, ascending: false)]
        request.relationshipKeyPathsForPrefetching = ["songs"]
        return try container.viewContext.fetch(request)
    }

    func albumsFromTemplate(by author: String) throws -> [Album] {
        let request = container.managedObjectModel.fetchRequestFromTemplate(
            withName: "AlbumsByAuthor", substitutionVariables: ["NAME": author])!
        return try container.viewContext.fetch(request) as! [Album]
    }

    func countByGenre() throws -> [String: Int] {
        let name = NSExpressionDescription()
        name.name = "count"
        name.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "name")])
        name.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Album")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["genre"]
        request.propertiesToFetch = ["genre", name]
        var counts: [String: Int] = [:]
        for row in try container.viewContext.fetch(request) {
            guard let genre = row["genre"] as? String else { continue }
            counts[genre] = row["count"] as? Int
        }
        return counts
    }

    func add(_ name: String, genre: String, by authorName: String, songs: [String]) async throws -> NSManagedObjectID {
        return try await container.performBackgroundTask { context in
            let request: NSFetchRequest<Author> = Author.fetchRequest()
            request.predicate = NSPredicate(format: "name == %@", authorName)
            request.fetchLimit = 1
            let author = try context.fetch(request).first ?? Author(context: context)
            author.name = authorName
            let album = Album(context: context)
            album.name = name
            album.genre = genre
            album.released = Date()
            album.author = author
            for title in songs {
                let song = Song(context: context)
                song.title = title
                song.duration = Double(title.count) * 60
                album.addToSongs(song)
            }
            try context.save()
            return album.objectID
        }
    }

    func raisePrices(to price: NSDecimalNumber) throws -> Int {
        let request = NSBatchUpdateRequest(entityName: "Album")
        request.propertiesToUpdate = ["price": price]
        request.resultType = .updatedObjectIDsResultType
        let result = try container.viewContext.execute(request) as? NSBatchUpdateResult
        let ids = result?.result as? [NSManagedObjectID] ?? []
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [container.viewContext])
        return ids.count
    }

    func deleteTags() throws {
        let fetch: NSFetchRequest<NSFetchRequestResult> = Tag.fetchRequest()
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        try container.persistentStoreCoordinator.execute(request, with: container.viewContext)
    }
}
