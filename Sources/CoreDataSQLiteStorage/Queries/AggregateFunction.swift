/// A function of SQL over the rows of a group.
enum AggregateFunction {
    case rows, count, sum, average, min, max
}
