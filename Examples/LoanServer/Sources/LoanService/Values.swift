import Foundation
import Hummingbird
import MagicalRecord

/// The JSON representation of a book.
public struct BookValue: ResponseCodable, Hashable, Sendable {
    /// The ISBN, unique in the store.
    public var isbn: String
    /// The title, which must not be empty.
    public var title: String
    /// The year of publication.
    public var year: Int32
    /// The number of copies that the library owns.
    public var copies: Int32

    /// Creates a book.
    public init(isbn: String, title: String, year: Int32, copies: Int32 = 1) {
        (self.isbn, self.title, self.year, self.copies) = (isbn, title, year, copies)
    }

    init(_ book: Book) {
        self.init(isbn: book.isbn ?? "", title: book.title ?? "", year: book.year, copies: book.copies)
    }
}

/// The JSON representation of one page of books.
public struct BookList: ResponseCodable, Sendable {
    /// The books of the page.
    public var books: [BookValue]
    /// The cursor of the next page, for the parameter `after`; nil on the last page.
    public var next: String?
}

/// The JSON representation of a loan.
public struct LoanValue: ResponseCodable, Hashable, Sendable {
    /// The loan number.
    public var number: UUID
    /// The ISBN of the book.
    public var isbn: String
    /// The name of the member.
    public var member: String
    /// The date when the copy is due.
    public var due: Date

    init(_ loan: Loan) {
        number = loan.number ?? UUID()
        isbn = loan.book?.isbn ?? ""
        member = loan.member ?? ""
        due = loan.due ?? .distantPast
    }
}

/// The body of `POST /loans`.
struct LoanRequest: Codable, Sendable {
    var isbn: String
    var member: String
}
