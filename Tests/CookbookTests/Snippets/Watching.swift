import MagicalRecord
import Observation

/// What the article on watching shows of table views, which are not everywhere.
private final class TableView: Sendable {
    enum Animation { case automatic }

    func performBatchUpdates(_ updates: () -> Void) { updates() }
    func deleteSections(_ sections: IndexSet, with animation: Animation) {}
    func insertSections(_ sections: IndexSet, with animation: Animation) {}
}

// snippet
struct Friend: Sendable {
    let id: NSManagedObjectID
    let name: String

    init(_ user: User) {
        id = user.objectID
        name = user.displayName ?? ""
    }
}
// end

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
// snippet
extension Team: Observable {}
// end

/// What the article calls a screen of an app.
@MainActor private final class FriendsModel {
    private var friends: [User] = []
    private var watching: Task<Void, any Error>?

    func start() {
        // snippet
        watching = Task { @MainActor in
            for try await list in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() {
                friends = list.objects
            }
        }
        // end
    }
}

enum WatchingSnippets {
    @MainActor static func lists(show: (MagicalRecord.ResultList<User>) -> Void) async throws {
        // snippet
        for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() {
            show(friends)
        }
        // end
    }

    static func values(send: ([Friend]) async -> Void) async throws {
        // snippet
        for try await friends in User.where({ $0.isFriend }).observe({ $0.map(Friend.init) }) {
            await send(friends)
        }
        // end
    }

    static func sections(send: ([String: Int]) -> Void) async throws {
        // snippet
        let sizes = User.where { $0.isFriend }.observe(sectionedBy: \.countryCode) { list in
            list.sections.map { (code: $0.name, count: $0.count) }
        }
        for try await sizes in sizes { print(sizes) }
        // end
    }

    @MainActor static func typedSections(show: ([(title: String, users: [User])]) -> Void) async throws {
        // snippet
        for try await sections in User.sorted(by: \.displayName).observeSections(by: \.team?.name) {
            show(sections.map { (title: $0.key ?? "No team", users: $0.objects) })
        }
        // end
        // snippet
        let counts = User.all.observeSections(by: \.countryCode) { sections in sections.map { [$0.key: $0.count] } }
        for try await counts in counts { print(counts) }
        // end
    }

    static func numbers(show: (Int) -> Void, showBalance: (Double) -> Void) async throws {
        // snippet
        for try await count in User.where({ $0.isFriend }).observeCount() { show(count) }
        // end
        // snippet
        for try await sum in User.where({ $0.isFriend }).observeSum(of: \.balance) { showBalance(sum) }
        // end
    }

    static func properties(
        of user: User, show: (String?) -> Void, showTeam: (String?) -> Void, showCount: (Int) -> Void
    )
        async throws
    {
        // snippet
        for try await name in user.changes(of: \.displayName) { show(name) }
        // end
        // snippet
        for try await name in user.changes(of: \.team?.name) { showTeam(name) }
        for try await messages in user.changes(of: \.messages) { showCount(messages.count) }
        // end
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor static func tracking(
        team: Team, showName: (String) -> Void, redraw: @escaping @MainActor @Sendable () async -> Void
    ) {
        // snippet
        withObservationTracking {
            showName(team.tracked(\.name))
        } onChange: {
            Task { await redraw() }
        }
        // end
    }

    static func server(stack: MagicalRecord.Stack, send: ([String]) -> Void) async throws {
        // snippet
        let context = stack.newFollowingContext(named: "friends")
        let names = User.where(\.isFriend == true).sorted(by: \.displayName).observe(in: context) {
            $0.compactMap(\.displayName)
        }
        for try await names in names { send(names) }
        // end
    }

    @MainActor static func tables() async throws {
        let tableView = TableView()
        // snippet
        for try await people in User.sorted(by: \.displayName).observeObjects(sectionedBy: \.countryCode) {
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
