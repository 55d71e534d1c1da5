import AddressBookModel
import Foundation
import MagicalRecord

/// A common performance mistake and its remedy.
///
/// Both closures have the same result; their requests to the store differ.
struct PerformanceFault: Sendable {
    let name: String
    let before: @Sendable (NSManagedObjectContext) throws -> Void
    let after: @Sendable (NSManagedObjectContext) throws -> Void

    static let all = [messages, count, saves]

    /// A relationship read in a loop, which takes one query per friend (N+1 queries). Remedy: prefetching.
    static let messages = PerformanceFault(name: "messages") { context in
        for user in try User.findAll(where: \.isFriend == true, in: context) {
            for message in user.messages { _ = message.text }
        }
    } after: { context in
        let friends = User.where(\.isFriend == true).prefetching(.relationship(\.messages))
        for user in try friends.findAll(in: context) {
            for message in user.messages { _ = message.text }
        }
    }

    /// Objects fetched to be counted, which reads all their rows. Remedy: a count request.
    static let count = PerformanceFault(name: "count") { context in
        _ = try User.findAll(where: \.isFriend == true, in: context).count
    } after: { context in
        _ = try User.count(where: \.isFriend == true, in: context)
    }

    /// A save per object, which takes one transaction each. Remedy: one save for all.
    static let saves = PerformanceFault(name: "saves") { context in
        for number in 0..<50 {
            try User.findFirst(where: \.user_id > 0, in: context)?.add("A word, saved at once", number)
            try context.save()
        }
    } after: { context in
        let user = try User.findFirst(where: \.user_id > 0, in: context)
        for number in 0..<50 { try user?.add("A word, saved with others", number) }
        try context.save()
    }
}

extension User {
    fileprivate func add(_ text: String, _ number: Int) throws {
        guard let managedObjectContext else { return }
        let message = try Message.create(in: managedObjectContext)
        (message.message_id, message.text, message.date) = ("\(text) \(number)", text, Date())
        message.user = self
    }
}
