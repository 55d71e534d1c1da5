import Foundation
import MagicalRecord

/// The library's data: every question and every change is a function that takes and returns values, so that objects never
/// leave the queue of their context.
public struct Library: Sendable {
    let stack: MagicalRecord.Stack

    /// A library over a stack of the shape `.server`: its contexts have queues of their own, and no main queue is needed.
    public init(stack: MagicalRecord.Stack) {
        self.stack = stack
    }

    /// Opens a store, or makes it.
    public init(store: MagicalRecord.Store) throws {
        // snippet
        let stack = try MagicalRecord.Stack([store], shape: .server, model: .named("Loans", in: .module))
        // end
        self.init(stack: stack)
    }

    /// The model of books and loans.
    public static var model: MagicalRecord.ModelSource { .named("Loans", in: .module) }

    // MARK: Books

    /// Books in the order of their titles, a page at a time.
    public func books(titled text: String?, after cursor: MagicalRecord.Cursor?, size: Int) async throws -> BookList {
        // snippet
        try await stack.read { context in
            var query = Book.all
            if let text { query = query.where { $0.title.contains(text, .caseInsensitive) } }
            // The second key tells books of one title apart.
            let page = try query.sorted(by: \.title).sorted(by: \.isbn)
                .page(after: cursor, size: size, in: context)
            return BookList(books: page.objects.map(BookValue.init), next: page.next?.description)
        }
        // end
    }

    public func book(isbn: String) async throws -> BookValue {
        try await stack.read { context in
            guard let book = try Book.findFirst(where: { $0.isbn == isbn }, in: context) else { throw Failure.noBook }
            return BookValue(book)
        }
    }

    /// Adds a book, or changes the one with this ISBN.
    public func put(_ value: BookValue) async throws {
        // snippet
        // Another process may add it in the same moment: then this finds it, and changes it.
        try await stack.save(onConflict: .retry(times: 3)) { context in
            let book = try Book.findOrCreate(by: \.isbn, value.isbn, in: context)
            (book.title, book.year, book.copies) = (value.title, value.year, value.copies)
        }
        // end
    }

    /// How many books came out in each year.
    public func years() async throws -> [String: Int] {
        try await stack.read { context in
            let groups = try Book.all.count(by: \.year, in: context)
            return Dictionary(uniqueKeysWithValues: groups.map { ("\($0.key)", $0.value) })
        }
    }

    // MARK: Loans

    /// Lends a copy for so many days.
    ///
    /// Whether a copy is left depends on what is read, so nothing else may write between the reading and the writing:
    /// no other request, and no other server on the same store.
    public func lend(isbn: String, to member: String, days: Int = 28) async throws -> LoanValue {
        // snippet
        try await stack.save(isolation: .exclusive) { context in
            guard let book = try Book.findFirst(where: { $0.isbn == isbn }, in: context) else { throw Failure.noBook }
            let lent = try Loan.count(where: { $0.book == book }, in: context)
            guard lent < book.copies else { throw Failure.allLent }
            let loan = try Loan.create(in: context) { loan in
                (loan.number, loan.member, loan.book) = (UUID(), member, book)
                loan.due = Date().addingTimeInterval(Double(days) * 86_400)
            }
            return LoanValue(loan)
        }
        // end
    }

    /// Takes a copy back.
    public func giveBack(_ number: UUID) async throws {
        try await stack.save { context in
            guard let loan = try Loan.findFirst(where: { $0.number == number }, in: context) else {
                throw Failure.noLoan
            }
            loan.delete()
        }
    }

    /// What a member has at home, the next due first.
    public func loans(of member: String) async throws -> [LoanValue] {
        try await stack.read { context in
            try Loan.where { $0.member == member }.sorted(by: \.due).prefetching(.relationship(\.book))
                .findAll(in: context).map(LoanValue.init)
        }
    }

    /// What speaks against a request.
    public enum Failure: Error {
        case noBook
        case noLoan
        /// All copies are lent.
        case allLent
    }
}
