import Foundation
import MagicalRecord

/// The database layer of the service. Its functions take and return values, so that managed objects never leave their
/// context's queue.
public struct Library: Sendable {
    let stack: MagicalRecord.Stack

    /// Creates a library on a stack. Use the shape `.server`: each context has a private queue, and none needs the main queue.
    public init(stack: MagicalRecord.Stack) {
        self.stack = stack
    }

    /// Opens a store and creates it if necessary.
    public init(store: MagicalRecord.Store) throws {
        // snippet
        let stack = try MagicalRecord.Stack([store], shape: .server, model: .named("Loans", in: .module))
        // end
        self.init(stack: stack)
    }

    /// The compiled model of books and loans.
    public static var model: MagicalRecord.ModelSource { .named("Loans", in: .module) }

    // MARK: Books

    /// Returns one page of the books, sorted by title.
    ///
    /// - Parameters:
    ///   - text: a part of the titles, compared without regard to case; nil for all books.
    ///   - cursor: the cursor of the page before, or nil for the first page.
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

    /// Returns the book with an ISBN.
    ///
    /// - Throws: ``Failure/noBook`` if there is none.
    public func book(isbn: String) async throws -> BookValue {
        try await stack.read { context in
            guard let book = try Book.findFirst(where: { $0.isbn == isbn }, in: context) else { throw Failure.noBook }
            return BookValue(book)
        }
    }

    /// Inserts a book, or updates the one with the same ISBN.
    public func put(_ value: BookValue) async throws {
        // snippet
        // Another process may add it in the same moment: then this finds it, and changes it.
        try await stack.save(onConflict: .retry(times: 3)) { context in
            let book = try Book.findOrCreate(by: \.isbn, value.isbn, in: context)
            (book.title, book.year, book.copies) = (value.title, value.year, value.copies)
        }
        // end
    }

    /// Returns the number of books by year of publication.
    public func years() async throws -> [String: Int] {
        try await stack.read { context in
            let groups = try Book.all.count(by: \.year, in: context)
            return Dictionary(uniqueKeysWithValues: groups.map { ("\($0.key)", $0.value) })
        }
    }

    // MARK: Loans

    /// Lends a copy of a book for a number of days.
    ///
    /// The save is exclusive: between counting the loans and inserting one, no other request and no other process on the
    /// same store may write.
    ///
    /// - Throws: ``Failure/noBook`` if there is no such book, ``Failure/allLent`` if no copy is left.
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

    /// Deletes a loan when the copy is returned.
    ///
    /// - Throws: ``Failure/noLoan`` if there is no loan with this number.
    public func giveBack(_ number: UUID) async throws {
        try await stack.save { context in
            guard let loan = try Loan.findFirst(where: { $0.number == number }, in: context) else {
                throw Failure.noLoan
            }
            loan.delete()
        }
    }

    /// Returns the loans of a member, sorted by due date.
    public func loans(of member: String) async throws -> [LoanValue] {
        try await stack.read { context in
            try Loan.where { $0.member == member }.sorted(by: \.due).prefetching(.relationship(\.book))
                .findAll(in: context).map(LoanValue.init)
        }
    }

    /// The reason why a request is refused.
    public enum Failure: Error {
        case noBook
        case noLoan
        /// All copies of the book are lent.
        case allLent
    }
}
