import MagicalRecord

/// What the article on watching shows of table views, which are not everywhere.
private final class TableView: Sendable {
    enum Animation { case automatic }

    func performBatchUpdates(_ updates: () -> Void) { updates() }
    func deleteSections(_ sections: IndexSet, with animation: Animation) {}
    func insertSections(_ sections: IndexSet, with animation: Animation) {}
}

enum WatchingSnippets {
    static func lists(show: (MagicalRecord.ResultList<User>) -> Void) async throws {
        // snippet
        for try await friends in User.results(where: \.isFriend == true, sortedBy: \.displayName) {
            show(friends)
        }
        // end
    }

    static func server(stack: MagicalRecord.Stack, send: ([String]) -> Void) async throws {
        // snippet
        let context = stack.newFollowingContext(named: "friends")
        let friends = User.results(where: \.isFriend == true, sortedBy: \.displayName, in: context)
        for try await list in friends {
            let names = await context.perform { list.map { $0.displayName ?? "" } }
            send(names)
        }
        // end
    }

    static func tables() async throws {
        let tableView = TableView()
        // snippet
        for try await people in User.results(groupedBy: \.countryCode, sortedBy: \.displayName) {
            let change = people.difference
            tableView.performBatchUpdates {
                tableView.deleteSections(IndexSet(change.deletedSections), with: .automatic)
                tableView.insertSections(IndexSet(change.insertedSections), with: .automatic)
                // … and the rows of change.deletions, .insertions, .moves and .updates
            }
        }
        // end
    }
}
