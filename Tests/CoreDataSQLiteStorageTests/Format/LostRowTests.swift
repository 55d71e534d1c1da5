import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What a join table still names though its row is gone is no member of the relationship, and counts nowhere.
@Suite("Join rows that lead nowhere")
struct LostRowTests {
    private let store: FormatStore

    init() throws {
        let player = FormatStore.entity("Player"), tag = FormatStore.entity("Tag")
        LibraryModel.relate(player, "tags", many: true, tag, "players", many: true)
        store = try FormatStore([player, tag])
        let kept = store.context.insert("Tag", ["name": "kept"]), lost = store.context.insert("Tag", ["name": "lost"])
        for (name, tags) in [("ann", [kept, lost]), ("ben", [lost]), ("cid", [])] {
            store.context.insert("Player", ["name": name, "tags": Set(tags)])
        }
        try store.context.save()
        try store.run("DELETE FROM ZTAG WHERE ZNAME = 'lost'")
        store.context.reset()
    }

    private func names(_ format: String) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate(format: format)
        return try store.context.fetch(request).map { $0.value(forKey: "name") as! String }.sorted()
    }

    @Test func countNowhere() throws {
        let players = try store.named("Player")
        #expect(players.mapValues { ($0.value(forKey: "tags") as! NSSet).count } == ["ann": 1, "ben": 0, "cid": 0])
        #expect(try names("tags.@count == 1") == ["ann"])
        #expect(try names("tags.@count == 0") == ["ben", "cid"])
        #expect(try names("tags == nil") == ["ben", "cid"])
        #expect(try names("SUBQUERY(tags, $t, TRUEPREDICATE).@count > 0") == ["ann"])
        let request = NSFetchRequest<NSDictionary>(entityName: "Player")
        request.resultType = .dictionaryResultType
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "tags")])
        request.propertiesToFetch = [count]
        #expect(try store.context.fetch(request) == [["count": 1]])
    }
}
